# Crystal's HTTP::Server with one fixed response.
#
#     crystal build --release server.cr && ./server --port 8080
#     crystal build --release -Dpreview_mt server.cr && CRYSTAL_WORKERS=2 ./server --port 8080
require "http/server"
require "option_parser"

host, port, body, size = "::", 8080, "Hello, World!", nil
OptionParser.parse do |options|
  options.on("--host ADDR", "address to listen on") { |value| host = value }
  options.on("--port PORT", "port to listen on") { |value| port = value.to_i }
  options.on("--threads N", "ignored: the runtime reads CRYSTAL_WORKERS") { }
  options.on("--body TEXT", "response body") { |value| body = value }
  options.on("--body-size N", "cut or continue the body to N bytes") { |value| size = value.to_i }
end
if bytes = size
  body = (body + "0123456789" * (bytes // 10 + 1))[0, bytes]
end

server = HTTP::Server.new do |context|
  context.response.headers["Connection"] = "close" unless context.request.keep_alive?
  context.response.content_type = "text/plain"
  context.response.content_length = body.bytesize
  context.response.print body unless context.request.method == "HEAD"
end
listener = TCPServer.new(host, port, backlog: 4096)
listener.tcp_nodelay = true # accepted sockets inherit it
server.bind listener
server.listen
