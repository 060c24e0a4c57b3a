//! httpz with one fixed response.
//!
//!     zig build -Doptimize=ReleaseFast && zig-out/bin/zig-httpz --port 8080
const std = @import("std");
const httpz = @import("httpz");

var body: []const u8 = "Hello, World!";

pub fn main() !void {
    const allocator = std.heap.smp_allocator;
    var host: []const u8 = "::";
    var port: u16 = 8080;
    var threads: u16 = 1;
    var size: ?usize = null;

    var args = try std.process.argsWithAllocator(allocator);
    _ = args.skip();
    while (args.next()) |flag| {
        const value = args.next() orelse return error.MissingValue;
        if (std.mem.eql(u8, flag, "--host")) {
            host = value;
        } else if (std.mem.eql(u8, flag, "--port")) {
            port = try std.fmt.parseInt(u16, value, 10);
        } else if (std.mem.eql(u8, flag, "--threads")) {
            threads = try std.fmt.parseInt(u16, value, 10);
        } else if (std.mem.eql(u8, flag, "--body")) {
            body = value;
        } else if (std.mem.eql(u8, flag, "--body-size")) {
            size = try std.fmt.parseInt(usize, value, 10);
        } else {
            return error.UnknownFlag;
        }
    }
    if (size) |n| body = try sized(allocator, n);

    var server = try httpz.Server(Handler).init(allocator, .{
        .address = .{ .ip = .{ .host = host, .port = port } },
        .workers = .{ .count = threads, .max_conn = 16_384 },
        .thread_pool = .{ .count = threads, .backlog = 16_384 },
    }, .{});
    defer server.deinit();
    defer server.stop();
    try server.listen();
}

fn sized(allocator: std.mem.Allocator, n: usize) ![]u8 {
    const bytes = try allocator.alloc(u8, n);
    for (bytes, 0..) |*byte, i| {
        byte.* = if (i < body.len) body[i] else '0' + @as(u8, @intCast((i - body.len) % 10));
    }
    return bytes;
}

/// Takes every request, whatever its method and target: no router.
const Handler = struct {
    pub fn handle(_: Handler, _: *httpz.Request, res: *httpz.Response) void {
        res.header("content-type", "text/plain");
        res.body = body;
    }
};
