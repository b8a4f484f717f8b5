// Adds the encoded secret to rows: ten entries of the table each, at places that are public. Each thread has four rows,
// whose places are ten blocks of the cipher under key 0.
struct Parameters { first: u32, rows: u32, at: u32, size: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> nodes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> table: array<Row>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(4) var<storage, read> numbers: array<u32>;

// (word*size) >> 32
fn entry(word: u32) -> Row { return table[product32(word, p.size).y]; }
fn two(v: vec2<u32>) -> Row { return piled(entry(v.x), entry(v.y)); }
fn four(v: vec4<u32>) -> Row { return piled(two(v.xy), two(v.zw)); }
fn words(block: u32) -> State {
  return encrypted(State(vec4(block, 0u, 0u, 0u), vec4(block + 1u, 0u, 0u, 0u)), 0u);
}
// Adds piles of four rows, four and two.
fn add(at: u32, a: Row, b: Row, c: Row) {
  nodes[at] = stored(plus(settled(piled(a, b)), settled(piled(c, loaded(nodes[at])))));
}

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = 4u * id.x;
  if (row >= p.rows) { return; }
  let block = (numbers[p.first + row / 4096u] * 4096u + row % 4096u) / 4u * 10u;
  let at = p.at + row;
  let a = words(block);
  let b = words(block + 2u);
  add(at, four(a.low), four(a.high), two(b.low.xy));
  let c = words(block + 4u);
  add(at + 1u, two(b.low.zw), four(b.high), four(c.low));
  let d = words(block + 6u);
  add(at + 2u, four(c.high), four(d.low), two(d.high.xy));
  let e = words(block + 8u);
  add(at + 3u, two(d.high.zw), four(e.low), four(e.high));
}
