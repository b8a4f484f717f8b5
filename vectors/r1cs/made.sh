#!/bin/sh
# Makes the files of this folder again: sh made.sh, with circom2 0.2.23 of npm (circom 2.2.3) in the PATH.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for prime in goldilocks bn128; do
    for circuit in range chain select; do
        circom2 "$circuit.circom" --r1cs --sym --wasm --O1 -p "$prime" -o "$build"
        name=$circuit-$prime
        cp "$build/$circuit.r1cs" "$name.r1cs"
        cp "$build/$circuit.sym" "$circuit.sym"
        node "$build/${circuit}_js/generate_witness.js" "$build/${circuit}_js/$circuit.wasm" "$circuit.json" "$name.wtns"
    done
done
