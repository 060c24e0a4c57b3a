#!/usr/bin/env python3
"""http.server with one fixed response: a thread for each connection.

    python3 server.py --port 8080
"""

import argparse
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--host", default="::")
parser.add_argument("--port", type=int, default=8080)
parser.add_argument("--threads", type=int, help="ignored: one thread a connection, one of them runs at a time")
parser.add_argument("--body", default="Hello, World!")
parser.add_argument("--body-size", type=int)
args = parser.parse_args()

body = args.body.encode()
if args.body_size is not None:
    body = (body + b"0123456789" * (args.body_size // 10 + 1))[: args.body_size]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one segment, or each response waits for a delayed ACK
    disable_nagle_algorithm = True

    def handle_expect_100(self):
        return super().handle_expect_100() and not self.wfile.flush()

    def answer(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal():
            return self.send_error(400)
        if self.headers["Transfer-Encoding"]:
            self.close_connection = True  # http.server does not decode chunks
        else:
            self.rfile.read(int(length))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        elif self.request_version == "HTTP/1.0":
            self.send_header("Connection", "keep-alive")  # or `ab -k` waits for ever
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    address_family = socket.getaddrinfo(args.host, args.port)[0][0]
    request_queue_size = 4096  # the default is 5

    def server_bind(self):
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


Server((args.host, args.port), Handler).serve_forever()
