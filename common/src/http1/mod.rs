//! Sans-IO HTTP/1.x for the engines: bytes in, bytes out, no sockets.
