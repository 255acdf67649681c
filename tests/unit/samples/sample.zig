const std = @import("std");
// a comment
const A = struct { x: i32 = 1 };
pub fn f(a: i32, b: []const u8) !i32 {
    for (b) |c| {
        std.debug.print("c {}\n", .{c});
    }
    if (a > 0) return marker(a) else return 2;
}
