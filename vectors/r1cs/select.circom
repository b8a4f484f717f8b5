pragma circom 2.2.0;

// An entry of a public table at a private place: products that no wire is defined by, and an inverse.
template Select(n) {
    signal input table[n];
    signal input place;
    signal input key;
    signal output out;
    signal chosen[n];
    signal sum[n + 1];
    signal inverse;
    sum[0] <== 0;
    var count = 0;
    for (var i = 0; i < n; i++) {
        chosen[i] <-- place == i ? 1 : 0;
        chosen[i] * (place - i) === 0;
        count += chosen[i];
        sum[i + 1] <== sum[i] + chosen[i] * table[i];
    }
    count === 1;
    inverse <-- 1 / key;
    inverse * key === 1;
    out <== sum[n] * key;
}

component main { public [table] } = Select(4);
