// a comment
module top(input clk, input [7:0] a, output reg [7:0] q);
  wire w;
  assign w = a[0] & a[1];
  always @(posedge clk) begin
    if (w) q <= a;
    else q <= q + 1;
  end
  marker u1(.clk(clk), .x(w));
endmodule
