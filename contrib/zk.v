// A map for Yosys, by `techmap -map zk.v` behind `alumacc`: sums, differences and comparisons by a ripple of
// carries, each of which is one AND and XORs, instead of trees, which are short and take ten times as many.
(* techmap_celltype = "$alu" *)
module _zk_alu (A, B, CI, BI, X, Y, CO);
 parameter A_SIGNED=0; parameter B_SIGNED=0; parameter A_WIDTH=1; parameter B_WIDTH=1; parameter Y_WIDTH=1;
 input [A_WIDTH-1:0] A; input [B_WIDTH-1:0] B; input CI, BI; output [Y_WIDTH-1:0] X, Y, CO;
 wire [Y_WIDTH-1:0] AA, BB; wire [Y_WIDTH:0] C;
 \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) pa (.A(A), .Y(AA));
 \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) pb (.A(B), .Y(BB));
 wire [Y_WIDTH-1:0] BX = BI ? ~BB : BB;
 assign C[0] = CI;
 genvar i; generate for (i=0;i<Y_WIDTH;i=i+1) begin : g
  assign C[i+1] = C[i] ^ ((AA[i]^C[i]) & (BX[i]^C[i]));
 end endgenerate
 assign X = AA ^ BX; assign Y = X ^ C[Y_WIDTH-1:0]; assign CO = C[Y_WIDTH:1];
endmodule
