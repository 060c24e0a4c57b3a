//! zap (facil.io) with one fixed response; more than one thread is more worker processes.
//!
//!     zig build -Doptimize=ReleaseFast && zig-out/bin/zig-zap --port 8080
const std = @import("std");
const zap = @import("zap");

var body: []const u8 = "Hello, World!";

pub fn main() !void {
    const allocator = std.heap.page_allocator;
    var host: [:0]const u8 = "::";
    var port: u16 = 8080;
    var workers: i16 = 1;
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
            workers = try std.fmt.parseInt(i16, value, 10);
        } else if (std.mem.eql(u8, flag, "--body")) {
            body = value;
        } else if (std.mem.eql(u8, flag, "--body-size")) {
            size = try std.fmt.parseInt(usize, value, 10);
        } else {
            return error.UnknownFlag;
        }
    }
    if (size) |n| body = try sized(allocator, n);

    var listener = zap.HttpListener.init(.{
        .port = port,
        .interface = host.ptr,
        .on_request = answer,
        .log = false,
        .max_clients = 100_000,
    });
    try listener.listen();
    zap.start(.{ .threads = 1, .workers = workers });
}

fn sized(allocator: std.mem.Allocator, n: usize) ![]u8 {
    const bytes = try allocator.alloc(u8, n);
    for (bytes, 0..) |*byte, i| {
        byte.* = if (i < body.len) body[i] else '0' + @as(u8, @intCast((i - body.len) % 10));
    }
    return bytes;
}

fn answer(r: zap.Request) !void {
    try r.setHeader("content-type", "text/plain");
    try r.sendBody(body);
}
