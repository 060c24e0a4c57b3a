//! std.http.Server with one fixed response: a thread for each connection.
//!
//!     zig build-exe -O ReleaseFast main.zig && ./main --port 8080
const std = @import("std");

var body: []const u8 = "Hello, World!";

pub fn main() !void {
    const allocator = std.heap.page_allocator;
    var host: []const u8 = "::";
    var port: u16 = 8080;
    var size: ?usize = null;

    var args = try std.process.argsWithAllocator(allocator);
    _ = args.skip();
    while (args.next()) |flag| {
        const value = args.next() orelse return error.MissingValue;
        if (std.mem.eql(u8, flag, "--host")) {
            host = value;
        } else if (std.mem.eql(u8, flag, "--port")) {
            port = try std.fmt.parseInt(u16, value, 10);
        } else if (std.mem.eql(u8, flag, "--body")) {
            body = value;
        } else if (std.mem.eql(u8, flag, "--body-size")) {
            size = try std.fmt.parseInt(usize, value, 10);
        } else if (!std.mem.eql(u8, flag, "--threads")) { // ignored: one thread a connection
            return error.UnknownFlag;
        }
    }
    if (size) |n| body = try sized(allocator, n);

    const address = try std.net.Address.parseIp(host, port);
    var listener = try address.listen(.{ .reuse_address = true, .kernel_backlog = 4096 });
    while (true) {
        const connection = listener.accept() catch {
            std.Thread.sleep(10 * std.time.ns_per_ms); // out of descriptors
            continue;
        };
        // Accepted sockets do not wait for a delayed ACK when several responses are written one after the other.
        std.posix.setsockopt(connection.stream.handle, std.posix.IPPROTO.TCP, std.posix.TCP.NODELAY, &std.mem.toBytes(@as(c_int, 1))) catch {};
        const thread = std.Thread.spawn(.{ .stack_size = 64 * 1024 }, serve, .{connection.stream}) catch {
            connection.stream.close();
            continue;
        };
        thread.detach();
    }
}

fn sized(allocator: std.mem.Allocator, n: usize) ![]u8 {
    const bytes = try allocator.alloc(u8, n);
    for (bytes, 0..) |*byte, i| {
        byte.* = if (i < body.len) body[i] else '0' + @as(u8, @intCast((i - body.len) % 10));
    }
    return bytes;
}

fn serve(stream: std.net.Stream) void {
    defer stream.close();
    var input: [16 * 1024]u8 = undefined;
    var output: [4 * 1024]u8 = undefined;
    var reader = stream.reader(&input);
    var writer = stream.writer(&output);
    var server = std.http.Server.init(reader.interface(), &writer.interface);
    while (server.reader.state == .ready) {
        var request = server.receiveHead() catch return;
        if (request.head.expect != null) _ = request.readerExpectContinue(&.{}) catch return;
        request.respond(body, .{
            .version = request.head.version, // an HTTP/1.0 client is told that its connection is kept
            .extra_headers = &.{.{ .name = "content-type", .value = "text/plain" }},
        }) catch return;
    }
}
