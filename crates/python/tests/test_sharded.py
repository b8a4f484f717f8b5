"""Statements in shards that are functions, in one process."""

import hashlib
import inspect
import pickle
import subprocess
import sys

import pytest
import volery
from test_proofs import pair
from volery import Array, Bit, Bytes, Element, Int, Word, assert_equal, assert_true, sharded


def before(shard):
    return [shard - 1] if shard else []


@sharded(shards=3, takes=before, gives=lambda shard, shards: Word[32] if shard + 1 < shards else None)
def ledger(shard, shards, incoming, amounts: Array[Word[16], 4], *, most):
    balance = amounts.sum().widen(32)
    if shard:
        balance = balance + incoming[0]
    if shard + 1 < shards:
        return balance
    assert_true(balance <= most, "the balance")


AMOUNTS = {0: {"amounts": [1, 2, 3, 4]}, 1: {"amounts": [5] * 4}, 2: {"amounts": [0, 0, 0, 70]}}


def chain_takes(shard):
    return [(shard - 1, 1), (shard - 1, 0)] if shard else []


@sharded(
    shards=lambda digests: len(digests),
    takes=chain_takes,
    gives=lambda shard, shards: (Bytes[32], Array[Bit, 3]) if shard + 1 < shards else None,
)
def chain(shard, shards, incoming, *, digests, start=b"start"):
    """Each shard hashes what the last one has, and a salt of its own length."""
    flags, text = incoming if shard else (None, start)
    salt = volery.witness("salt", Bytes[shard + 1])
    digest = volery.sha256(text + salt if shard else salt + text)
    assert_equal(digest, digests[shard], "the digest")
    if flags is not None:
        assert_true(flags[:2], "flags")
        assert_true(~flags[2], "the last flag")
    if shard + 1 < shards:
        return digest, [1, 1, 0]


def digests(count):
    digest = hashlib.sha256(b"a" + b"start").digest()
    found = [digest]
    for shard in range(1, count):
        digest = hashlib.sha256(digest + b"a" * (shard + 1)).digest()
        found.append(digest)
    return found


@sharded(field="f61", shards=3, takes=lambda shard: range(shard), gives=(Element, Element))
def squares(shard, incoming, x: Element, *, total):
    """Each takes the pairs of all before, of which the last checks the sum of first parts."""
    first = x * x
    for pair in incoming:
        first = first + pair[0] * pair[1]
    if shard == 2:
        assert_equal(first, total, "the total")
    return first, 1


def test_runs_in_the_clear_and_says_where_it_fails():
    assert ledger.check({"most": 100}, AMOUNTS).satisfied
    assert volery.check(ledger, {"most": 100}, lambda shard: AMOUNTS[shard]).satisfied
    assert ledger.check({"most": 100}, list(AMOUNTS.values())).satisfied
    with pytest.raises(volery.Unsatisfied, match=r"the balance \(.*, in shard 2\)") as caught:
        ledger.check({"most": 99}, AMOUNTS)
    lines, first = inspect.getsourcelines(ledger.function)
    assert caught.value.lineno == first + next(i for i, line in enumerate(lines) if "the balance" in line)
    assert (caught.value.shard, caught.value.filename) == (2, __file__)
    known = lambda shard: {"salt": b"a" * (shard + 1)}  # noqa: E731
    assert chain.check({"digests": digests(4)}, known).satisfied
    with pytest.raises(volery.Unsatisfied, match="the digest") as caught:
        chain.check({"digests": digests(4)[:2] + digests(4)[1:]}, known)
    assert caught.value.shard == 2
    assert squares.check({"total": 4 + 1 + (4 + 1)}, [{"x": 1}, {"x": 2}, {"x": 2}]).satisfied is True


def test_proves_as_one_statement():
    prover, verifier = volery.loopback(ledger, {"most": 100}, AMOUNTS)
    assert verifier.accepted and prover.statement == verifier.statement
    counted = volery.count(ledger, {"most": 100})
    assert counted.statement == verifier.statement and counted.gates.mul == verifier.gates.mul > 0
    salts = [{"salt": b"a"}, {"salt": b"aa"}]
    assert volery.loopback(chain, {"digests": digests(2)}, salts)[1].accepted
    known = [{"x": 1}, {"x": 2}, {"x": 2}]
    assert volery.loopback(squares, {"total": 10}, known, field="f61x2")[1].accepted
    with pytest.raises(volery.Unsatisfied, match="the total"):
        volery.loopback(squares, {"total": 11}, known)
    # Not checked beforehand, each is found out in the proof.
    with pytest.raises(volery.Error):
        volery.loopback(squares, {"total": 11}, known, check=False)
    proof, _ = ledger.prove_to_bytes({"most": 100}, AMOUNTS)
    assert volery.verify_bytes(ledger, proof, {"most": 100}).accepted
    with pytest.raises((volery.Rejected, volery.Disagreed)):
        ledger.verify_bytes(proof, {"most": 101})


def test_shards_that_differ_disagree():
    def other(shard, shards, incoming, amounts: Array[Word[16], 4], *, most):
        given = ledger.function(shard, shards, incoming, amounts, most=most)
        return given + 1 if shard == 1 else given

    cheat = sharded(other, shards=3, takes=before, gives=ledger._gives)
    assert cheat.check({"most": 101}, AMOUNTS).satisfied
    prover, verifier = pair(
        lambda at: cheat.prove({"most": 101}, AMOUNTS, connect=at),
        lambda listening: ledger.verify({"most": 101}, listen="127.0.0.1:0", listening=listening),
    )
    assert isinstance(prover, volery.Disagreed) and isinstance(verifier, volery.Disagreed)


def test_a_function_that_changes_is_found_out():
    rows = iter(range(1, 100))

    @volery.circuit
    def drained(x: Word[8]):
        for row in rows:
            assert_true(x != row, "a row")
        assert_true(x == 200, "the value")

    # The first run sees all rows, and those that follow none.
    with pytest.raises(volery.Invalid, match="did something else when it was run again: let it depend"):
        drained.prove_to_bytes(None, {"x": 200})
    runs = [0]

    def changing(shard, x: Word[8], *, limit):
        runs[0] += 1
        assert_true(x < limit + runs[0], "the limit")

    with pytest.raises(volery.Invalid, match="did something else when it was run again for shard 0"):
        sharded(changing, shards=2).prove_to_bytes({"limit": 9}, [{"x": 1}, {"x": 2}])
    kept = []

    # What dies when is the interpreter's business, and no difference.
    @volery.circuit
    def keeping(x: Word[8]):
        sums = [x + i for i in range(50)]
        if len(kept) % 2:
            del sums[::3]
        kept.append(sums)
        assert_true(x + 60 == 61, "the sum")

    assert keeping.prove_to_bytes(None, {"x": 1}) and len(kept) > 1


@pytest.mark.parametrize(
    "gives, returned, kind, says",
    [
        (Word[8], lambda x: x.widen(16), TypeError, r"shard 0 gives Word\[16\], and Word\[8\] is announced"),
        (Word[8], lambda x: x.signed(), TypeError, r"gives Int\[8\], and Word\[8\]"),
        (Word[8], lambda x: (x, x), TypeError, r"gives 2 values, and Word\[8\] is announced"),
        (Word[8], lambda x: None, TypeError, r"gives nothing, and Word\[8\] is announced"),
        (Word[8], lambda x: 256, ValueError, "gives value 0: .*out of its range, 0 to 255"),
        (Word[8], lambda x: "no", TypeError, r"gives value 0: .*takes an int"),
        ((Word[8], Bit), lambda x: (x[0], x), TypeError, r"gives Bit, and Word\[8\] is .*, as value 0"),
        ((Word[8], Bit), lambda x: x, TypeError, r"gives Word\[8\], and Word\[8\], Bit is announced"),
        ((), lambda x: x, TypeError, r"gives Word\[8\], and nothing is announced"),
    ],
)
def test_what_is_returned_is_what_was_announced(gives, returned, kind, says):
    @sharded(shards=2, takes=lambda shard: [0] if shard and gives else [], gives=gives)
    def function(incoming, x: Word[8]):
        assert_equal(x, 1)
        return returned(x)  # here

    lines, first = inspect.getsourcelines(function.function)
    line = first + next(i for i, text in enumerate(lines) if "# here" in text)
    says = says.removeprefix("shard 0 ")
    with pytest.raises(kind, match=f"function .{__file__}:{line}.: shard 0 {says}"):
        function.check(private=[{"x": 1}] * 2)


@pytest.mark.parametrize(
    "announced, kind, says",
    [
        ({"takes": lambda shard: [shard]}, volery.Invalid, "of shard 0, whose number is not lower"),
        ({"takes": lambda shard: [0] if shard else []}, volery.Invalid, "of shard 0, which gives nothing"),
        (
            {"takes": lambda shard: [(0, 1)] if shard else [], "gives": Bit},
            volery.Invalid,
            "shard 1 takes value 1 of shard 0, which gives 1",
        ),
        ({"takes": lambda shard: ["0"]}, TypeError, "shard 0 takes of '0': write the number"),
        ({"gives": lambda shard: 32}, TypeError, "shard 0 gives 32, which is no kind"),
        ({"gives": lambda size: Word[size]}, volery.Invalid, "asks for size: there are shard, shards"),
        ({"shards": 0}, volery.Invalid, "from 1 to 65536, and not 0"),
        ({"shards": 1 << 17}, volery.Invalid, "from 1 to 65536"),
    ],
)
def test_what_is_announced_is_in_order(announced, kind, says):
    @sharded(**{"shards": 2, **announced})
    def function(incoming, x: Word[8]):
        assert_equal(x, 1)

    with pytest.raises(kind, match=says) as caught:
        function.count()
    assert __file__ in str(caught.value) or "asks for" in str(caught.value)


def test_what_crosses_has_its_place():
    @sharded(shards=2, takes=before, gives=(Word[8], Word[16]))
    def swapped(shard, incoming, x: Word[8]):
        assert_equal(x, 1)
        if shard:
            wide, narrow = incoming[0]
            assert_equal(narrow, wide)  # here
        return x, x.widen(16)

    with pytest.raises(TypeError, match=r"is to be Word\[16\], and is Word\[8\]"):
        swapped.check(private=[{"x": 1}] * 2)

    @sharded(shards=2, takes=before, gives=Bit)
    def missing(shard, x: Word[8]):
        assert_equal(x, 1)
        return x[0]

    with pytest.raises(volery.Invalid, match=r"missing \(.*has no parameter incoming"):
        missing.check(private=[{"x": 1}] * 2)

    def private(incoming: Word[8]):
        assert_equal(incoming, 1)

    with pytest.raises(TypeError, match="private: incoming is given by volery"):
        sharded(private, shards=2)
    # A wire of one shard is no value in another, but as it comes in.
    kept = []

    @sharded(shards=2)
    def keeps(x: Word[8]):
        kept.append(x)
        assert_equal(kept[0], x)

    with pytest.raises(RuntimeError, match="of another run|a run that is over"):
        keeps.check(private=[{"x": 1}] * 2)


def test_private_values_are_by_shard():
    public = {"most": 100}
    for private, says in [
        ({0: {"amounts": [1] * 4}}, "amounts has no value in shard 1: give one, private={1: "),
        ({3: {}}, "from 0 to 2, and not by 3"),
        ({"amounts": [1] * 4}, "given by shard, from 0 to 2, and not by 'amounts'"),
        ([{}], "of 1 shards, and ledger has 3"),
        ([{"amounts": [1] * 4}, {"amounts": [1] * 4, "y": 2}, {}], "no private input y in shard 1"),
    ]:
        with pytest.raises(volery.Invalid, match=says):
            ledger.check(public, private)
    with pytest.raises(TypeError, match="private values of shard 0: a mapping by name, and this is int"):
        ledger.check(public, lambda shard: 3)
    with pytest.raises(LookupError, match="mine"):
        ledger.check(public, mine)


def mine(shard):
    raise LookupError("mine")


def test_kinds_are_pickled():
    one = (Bit, Element, Word[8], Int[3], Bytes[7])
    for kind in (*one, *(Array[kind, 3] for kind in one), Array[Array[Word[8], 3], 2]):
        assert pickle.loads(pickle.dumps(kind)) == kind
    with pytest.raises(volery.Invalid, match="called Byte"):
        volery._volery.kind_named("Byte")
    assert pickle.loads(pickle.dumps(Word)) is Word


def test_memory_is_of_live_values():
    """A shard of many words takes no more than a short one, though it is one scope."""
    program = """
import sys, volery
@volery.sharded(shards=2, takes=lambda shard: [0] if shard else [], gives=volery.Word[32])
def long(incoming, x: volery.Word[32], *, rounds):
    for _ in range(rounds):
        x = (x + 12345) ^ (x << 3)
    volery.assert_true(x != 0)
    return x
print(volery.loopback(long, {"rounds": int(sys.argv[1])}, [{"x": 1}] * 2)[1].peak_rss_bytes)
"""
    peaks = [
        int(subprocess.run([sys.executable, "-c", program, rounds], check=True, capture_output=True).stdout)
        for rounds in ("1000", "40000")
    ]
    assert peaks[1] < peaks[0] + 20_000_000
