pragma circom 2.2.0;

// The bits of a number, least significant first.
template Bits(n) {
    signal input in;
    signal output out[n];
    var sum = 0;
    for (var i = 0; i < n; i++) {
        out[i] <-- (in >> i) & 1;
        out[i] * (out[i] - 1) === 0;
        sum += out[i] * 2 ** i;
    }
    sum === in;
}

// Whether a < b, both of n bits.
template Less(n) {
    signal input a;
    signal input b;
    signal output out;
    component bits = Bits(n + 1);
    bits.in <== a - b + 2 ** n;
    out <== 1 - bits.out[n];
}

// "I know an age of 8 bits, at least `least`, and its square is `square`"; `half` is linear in what is known.
template Range() {
    signal input age;
    signal input unused;
    signal input least;
    signal output square;
    signal output half;
    component bits = Bits(8);
    bits.in <== age;
    component less = Less(8);
    less.a <== age;
    less.b <== least;
    less.out === 0;
    square <== age * age;
    half <== (3 * square - age + 5) / 2;
}

component main { public [least] } = Range();
