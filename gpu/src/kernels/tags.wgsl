// A prover's shares: a value, and its MAC behind it.
alias Row = vec4<u32>;
fn plus(a: Row, b: Row) -> Row { return vec4(sum(a.xy, b.xy), sum(a.zw, b.zw)); }
// Eight rows at most are piled up, and then settled.
fn piled(a: Row, b: Row) -> Row { return vec4(added(a.xy, b.xy), added(a.zw, b.zw)); }
fn settled(a: Row) -> Row { return vec4(reduced(a.xy), reduced(a.zw)); }
fn times(a: Row, factor: vec2<u32>) -> Row { return vec4(product(a.xy, factor), product(a.zw, factor)); }
// As they lie among rows.
fn stored(a: Row) -> vec4<u32> { return a; }
fn loaded(a: vec4<u32>) -> Row { return a; }
