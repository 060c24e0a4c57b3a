# Crystal's HTTP::Server with one fixed response.
#
#     crystal build --release server.cr && ./server --port 8080
require "http/server"
require "option_parser"

host, port, threads, body, size = "::", 8080, 1, "Hello, World!", nil
OptionParser.parse do |options|
  options.on("--host ADDR", "address to listen on") { |value| host = value }
  options.on("--port PORT", "port to listen on") { |value| port = value.to_i }
  options.on("--threads N", "processes that serve") { |value| threads = value.to_i }
  options.on("--body TEXT", "response body") { |value| body = value }
  options.on("--body-size N", "cut or continue the body to N bytes") { |value| size = value.to_i }
end
if bytes = size
  body = (body + "0123456789" * (bytes // 10 + 1))[0, bytes]
end

server = HTTP::Server.new do |context|
  context.response.content_type = "text/plain"
  context.response.content_length = body.bytesize
  context.response.print body unless context.request.method == "HEAD"
end
server.bind_tcp host, port
server.listen
