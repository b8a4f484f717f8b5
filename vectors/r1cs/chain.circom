pragma circom 2.2.0;

// x^7, as rounds of ciphers over prime fields have it.
template Seventh() {
    signal input in;
    signal output out;
    signal square <== in * in;
    signal fourth <== square * square;
    signal sixth <== square * fourth;
    out <== sixth * in;
}

// Rounds of a permutation of three elements, of whose result the first is public.
template Chain(rounds) {
    signal input in[3];
    signal output out;
    component power[rounds];
    signal state[rounds + 1][3];
    for (var i = 0; i < 3; i++) {
        state[0][i] <== in[i];
    }
    for (var r = 0; r < rounds; r++) {
        power[r] = Seventh();
        power[r].in <== state[r][0] + 1234567890123 * (r + 1);
        state[r + 1][0] <== power[r].out + 2 * state[r][1] - state[r][2];
        state[r + 1][1] <== state[r][0] + 5 * state[r][2];
        state[r + 1][2] <== state[r][1] - 7 * power[r].out;
    }
    out <== state[rounds][0];
}

component main = Chain(6);
