// Two blocks of AES, bit-sliced: plane j has bit j of all bytes, that of row r of column c of block b at bit 8r + 4b + c.
// Nothing here looks a value up, so that no address depends on one.
struct State { low: vec4<u32>, high: vec4<u32> } // planes 0 to 3, and 4 to 7

// A key for both blocks, round by round, each as a State.
const KEY = 22u;

// The bits of eight words as planes, and back: 8 x 8 bits of each byte are transposed.
fn exchange(v: vec4<u32>) -> vec4<u32> {
  let t = ((v.xz >> vec2(1u)) ^ v.yw) & vec2(0x55555555u);
  let odd = v.yw ^ t;
  let even = v.xz ^ (t << vec2(1u));
  let s = ((vec2(even.x, odd.x) >> vec2(2u)) ^ vec2(even.y, odd.y)) & vec2(0x33333333u);
  return vec4(vec2(even.x, odd.x) ^ (s << vec2(2u)), vec2(even.y, odd.y) ^ s);
}
fn transposed(s: State) -> State {
  let low = exchange(s.low);
  let high = exchange(s.high);
  let t = ((low >> vec4(4u)) ^ high) & vec4(0x0f0f0f0fu);
  return State(low ^ (t << vec4(4u)), high ^ t);
}

// The S-box of AES as a circuit: Boyar and Peralta, "A small depth-16 circuit for the AES S-box", in its form with the
// fewest gates. Bits are numbered from the highest.
fn substituted(s: State) -> State {
  let x0 = s.high.w; let x1 = s.high.z; let x2 = s.high.y; let x3 = s.high.x;
  let x4 = s.low.w; let x5 = s.low.z; let x6 = s.low.y; let x7 = s.low.x;
  let y14 = x3 ^ x5; let y13 = x0 ^ x6; let y9 = x0 ^ x3; let y8 = x0 ^ x5;
  let t0 = x1 ^ x2; let y1 = t0 ^ x7; let y4 = y1 ^ x3; let y12 = y13 ^ y14;
  let y2 = y1 ^ x0; let y5 = y1 ^ x6; let y3 = y5 ^ y8; let t1 = x4 ^ y12;
  let y15 = t1 ^ x5; let y20 = t1 ^ x1; let y6 = y15 ^ x7; let y10 = y15 ^ t0;
  let y11 = y20 ^ y9; let y7 = x7 ^ y11; let y17 = y10 ^ y11; let y19 = y10 ^ y8;
  let y16 = t0 ^ y11; let y21 = y13 ^ y16; let y18 = x0 ^ y16;
  let t2 = y12 & y15; let t4 = (y3 & y6) ^ t2; let t6 = (y4 & x7) ^ t2;
  let t7 = y13 & y16; let t9 = (y5 & y1) ^ t7; let t11 = (y2 & y7) ^ t7;
  let t12 = y9 & y11; let t14 = (y14 & y17) ^ t12; let t16 = (y8 & y10) ^ t12;
  let t21 = t4 ^ t14 ^ y20; let t22 = t6 ^ t16 ^ y19; let t23 = t9 ^ t14 ^ y21; let t24 = t11 ^ t16 ^ y18;
  let t25 = t21 ^ t22; let t26 = t21 & t23; let t27 = t24 ^ t26; let t29 = (t25 & t27) ^ t22;
  let t30 = t23 ^ t24; let t31 = t22 ^ t26; let t33 = (t31 & t30) ^ t24; let t34 = t23 ^ t33;
  let t35 = t27 ^ t33; let t36 = t24 & t35; let t37 = t36 ^ t34; let t38 = t27 ^ t36;
  let t40 = t25 ^ (t29 & t38); let t41 = t40 ^ t37; let t42 = t29 ^ t33; let t43 = t29 ^ t40;
  let t44 = t33 ^ t37; let t45 = t42 ^ t41;
  let z0 = t44 & y15; let z1 = t37 & y6; let z2 = t33 & x7; let z3 = t43 & y16; let z4 = t40 & y1;
  let z5 = t29 & y7; let z6 = t42 & y11; let z7 = t45 & y17; let z8 = t41 & y10; let z9 = t44 & y12;
  let z10 = t37 & y3; let z11 = t33 & y4; let z12 = t43 & y13; let z13 = t40 & y5; let z14 = t29 & y2;
  let z15 = t42 & y9; let z16 = t45 & y14; let z17 = t41 & y8;
  let t46 = z15 ^ z16; let t47 = z10 ^ z11; let t48 = z5 ^ z13; let t49 = z9 ^ z10; let t50 = z2 ^ z12;
  let t51 = z2 ^ z5; let t52 = z7 ^ z8; let t53 = z0 ^ z3; let t54 = z6 ^ z7; let t55 = z16 ^ z17;
  let t56 = z12 ^ t48; let t57 = t50 ^ t53; let t58 = z4 ^ t46; let t59 = z3 ^ t54; let t60 = t46 ^ t57;
  let t61 = z14 ^ t57; let t62 = t52 ^ t58; let t63 = t49 ^ t58; let t64 = z4 ^ t59; let t65 = t61 ^ t62;
  let t66 = z1 ^ t63;
  let s0 = t59 ^ t63; let s3 = t53 ^ t66; let s1 = ~(t64 ^ s3);
  return State(
    vec4(~(t48 ^ t60), ~(t56 ^ t62), t47 ^ t65, t51 ^ t66),
    vec4(s3, ~(t55 ^ t64 ^ t65), s1, s0));
}
