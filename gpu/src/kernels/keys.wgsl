// A verifier's shares: keys.
alias Row = vec2<u32>;
fn plus(a: Row, b: Row) -> Row { return sum(a, b); }
// Eight rows at most are piled up, and then settled.
fn piled(a: Row, b: Row) -> Row { return added(a, b); }
fn settled(a: Row) -> Row { return reduced(a); }
fn times(a: Row, factor: vec2<u32>) -> Row { return product(a, factor); }
// As they lie among rows.
fn stored(a: Row) -> vec4<u32> { return vec4(a, 0u, 0u); }
fn loaded(a: vec4<u32>) -> Row { return a.xy; }
