; a comment
target triple = "x86_64-pc-linux-gnu"
@g = global i32 7, align 4
declare i32 @marker(i32)
define i32 @f(i32 %a) {
entry:
  %c = icmp sgt i32 %a, 0
  br i1 %c, label %yes, label %no
yes:
  %r = call i32 @marker(i32 %a)
  ret i32 %r
no:
  ret i32 0
}
