"""Statements in shards that are functions, and what else two parties on one Ray cluster show soon."""

import os
import pathlib
import re
import signal
import subprocess
import threading

import pytest
import volery
from test_docs import DOCS
from test_ray import ROOTS
from volery import Array, Element, Word, assert_equal, assert_true, sharded

ray = pytest.importorskip("ray")
import volery.ray  # noqa: E402 - it takes Ray

pytestmark = pytest.mark.ray

SHARDS = 4


@sharded(
    shards=SHARDS,
    takes=lambda shard: [(0, 1), shard - 1] if shard else [],
    gives=lambda shard, shards: (Word[32], Word[8]) if shard + 1 < shards else None,
)
def ledger(shard, shards, incoming, amounts: Array[Word[16], 4], *, most):
    """A balance goes from shard to shard, and a number of the first to all."""
    balance = amounts.sum().widen(32)
    fee = amounts[0][:8]
    if shard:
        fee, (before, _) = incoming
        balance = balance + before * 2 + fee.widen(32)
    if shard + 1 < shards:
        return balance, fee
    assert_true(balance <= most, "the balance")


def amounts(shard):
    return {"amounts": [shard, 2, 3, 4]}


#: 9; 10 + 18; 11 + 56; 12 + 134.
MOST = {"most": 146}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    quiet = {"include_dashboard": False, "log_to_driver": False}
    ray.init(address="local", num_cpus=2 * SHARDS, **quiet)
    yield
    ray.shutdown()


def run(prover, verifier=None, **options):
    """Both parties, on threads of their own, with their keywords: what each of them returns or raises."""
    verifier = prover if verifier is None else verifier
    ends = {}
    bound = threading.Event()

    def listening(address):
        ends["address"] = address
        bound.set()

    def act(name, work, given, **way):
        relation, public, *private = given["of"]
        keywords = {**options, **{key: value for key, value in given.items() if key != "of"}}
        try:
            ends[name] = work(relation, public, *private, quiet=True, timeout=30, **way, **keywords)
        except Exception as why:
            ends[name] = why
        finally:
            bound.set()

    listen = {"listen": "127.0.0.1:0", "listening": listening}
    given = {**verifier, "of": verifier["of"][:2]}
    there = threading.Thread(target=act, args=("verifier", volery.ray.verify, given), kwargs=listen)
    there.start()
    assert bound.wait(60)
    if "address" in ends:
        act("prover", volery.ray.prove, prover, connect=ends["address"])
    there.join()
    return ends.get("prover"), ends["verifier"]


def test_a_function_is_accepted():
    asked = []

    def private(shard):
        asked.append(shard)
        return amounts(shard)

    prover, verifier = run({"of": (ledger, MOST, private)}, workers=2)
    assert verifier.accepted and prover.accepted, (prover, verifier)
    assert (prover.run, prover.statement) == (verifier.run, verifier.statement)
    whole = ledger.count(MOST)
    for same in ("mul", "assert"):
        assert verifier.gates[same] == whole.gates[same] > 0
    assert verifier.inputs == whole.inputs == SHARDS * 64
    assert [shard["attempts"] for shard in verifier["shards"]] == [1] * SHARDS
    # Once to be checked, and once each for its worker.
    assert sorted(asked) == sorted(2 * list(range(SHARDS)))


def test_arrays_of_elements_cross():
    @sharded(
        shards=3,
        field="f61",
        takes=lambda shard: [shard - 1] if shard else [],
        gives=lambda: Array[Element, 500],
    )
    def wide(shard, incoming, v: Array[Element, 500], *, total):
        sums = v * v + (incoming[0] if shard else [1] * 500)
        if shard == 2:
            assert_equal(sums.sum(), total, "the total")
        return sums

    known = [{"v": list(range(500))}] * 3
    total = 3 * sum(i * i for i in range(500)) + 500
    prover, verifier = run({"of": (wide, {"total": total}, known)})
    assert prover.accepted and verifier.accepted and verifier.gates.mul == 1500, (prover, verifier)


def test_a_function_whose_witness_is_wrong_in_one_shard_is_not_accepted():
    def private(shard):
        return {"amounts": [shard, 2, 3, 4 + (shard == 1)]}

    with pytest.raises(volery.Unsatisfied, match="the balance .*in shard 3"):
        ledger.check(MOST, private)
    prover, verifier = run({"of": (ledger, MOST, private), "check": False}, {"of": (ledger, MOST)})
    assert isinstance(prover, volery.Unsatisfied) and "the balance" in str(prover), (prover, verifier)
    assert prover.shard == 3 and isinstance(verifier, volery.PeerError)


def test_functions_that_differ_in_one_shard_are_refused():
    def other(shard, shards, incoming, amounts: Array[Word[16], 4], *, most):
        given = ledger.function(shard, shards, incoming, amounts, most=most)
        return (given[0] + 0, given[1] ^ 1) if shard == 2 else given

    cheat = sharded(other, shards=SHARDS, takes=ledger._takes, gives=ledger._gives)
    prover, verifier = run({"of": (cheat, MOST, amounts)}, {"of": (ledger, MOST)})
    for why in (prover, verifier):
        assert isinstance(why, volery.PeerError) and "statement" in str(why), (prover, verifier)
        assert "relation, or a public value" in str(why)


def test_wires_that_cross_in_another_order_are_refused():
    def takes(shard):
        return [shard - 1, (0, 1)] if shard else []

    def other(shard, shards, incoming, amounts: Array[Word[16], 4], *, most):
        return ledger.function(shard, shards, incoming[::-1], amounts, most=most)

    swapped = sharded(other, shards=SHARDS, takes=takes, gives=ledger._gives)
    assert swapped.check(MOST, amounts).satisfied
    prover, verifier = run({"of": (swapped, MOST, amounts)}, {"of": (ledger, MOST)})
    assert isinstance(verifier, volery.PeerError) and "statement" in str(verifier), (prover, verifier)


def test_a_function_that_fails_at_a_worker_ends_the_run():
    @sharded(shards=2)
    def impure(shard, x: Word[8]):
        at_worker = ray.get_runtime_context().get_actor_id() is not None
        assert_equal(x + (shard if at_worker else 0), 1)

    prover, verifier = run({"of": (impure, {}, [{"x": 1}] * 2)})
    said = [str(why) for why in (prover, verifier) if isinstance(why, volery.Invalid)]
    assert said and all("shard 1: the function does something else here" in text for text in said)

    @sharded(shards=2)
    def one(x: Word[8]):
        assert_equal(x, 1)

    for wrong, says in [
        ({"x": 256}, "shard 1: x: the number given for Word[8] is out of its range"),
        ({"x": "1"}, "shard 1: TypeError: x: Word[8] takes an int, and this is str"),
        ({"x": 1, "y": 1}, "shard 1: the function has no private input y in shard 1"),
    ]:
        prover, verifier = run({"of": (one, {}, [{"x": 1}, wrong]), "check": False}, {"of": (one, {})})
        assert isinstance(prover, volery.Invalid) and prover.shard == 1, (prover, verifier)
        assert says in str(prover) and isinstance(verifier, volery.PeerError)


def test_a_shard_of_a_function_that_is_lost_is_done_again():
    @sharded(
        shards=2,
        takes=lambda shard: [0] if shard else [],
        gives=lambda shard: None if shard else Word[32],
    )
    def long(shard, incoming, x: Word[32], *, rounds):
        if not shard:
            return x
        for _ in range(rounds):
            x = x * x + incoming[0]
        assert_true(x != 0, "the end")

    asked, killed = [], []

    def private(shard):
        asked.append(shard)
        return {"x": 3}

    def watch(news, state):
        if news["event"] == "begun" and news["shard"] == 1 and not killed:
            killed.append(state.shards[1]["process"])
            os.kill(killed[0], signal.SIGKILL)

    of = (long, {"rounds": 5000})
    prover, verifier = run({"of": (*of, private), "check": False, "watch": watch}, {"of": of})
    assert prover.accepted and verifier.accepted, (prover, verifier)
    assert killed and asked == [0, 1, 1]
    for report in (prover, verifier):
        assert [shard["attempts"] for shard in report["shards"]] == [1, 2] and report.restarts == 1


def test_what_makes_no_sense_is_refused_before_anybody_connects():
    @volery.circuit
    def whole(x: Word[8]):
        assert_equal(x, 1)

    for of, options, says in [
        ((whole, {}), {}, "whole does not fall into shards: make it by volery.sharded"),
        ((ledger, MOST), {"shards": 3}, "shards=3: ledger has 4"),
        ((ledger, {}), {}, "most has no value"),
        (("builtin:merkle-root?depth=4", {}), {}, "shards: into how many"),
        ((ledger, MOST), {"strategy": "NEAR"}, "strategy: one of PACK"),
        ((ledger, MOST), {"strategy": "PACK", "workers": 64, "timeout": 0.5}, "no room for 64 workers"),
    ]:
        with pytest.raises(volery.Invalid, match=says):
            volery.ray.verify(*of, listen="127.0.0.1:0", quiet=True, **options)

    @sharded(shards=2)
    def fails(shard, x: Word[8]):
        assert_equal(x[8 * shard], 1)

    with pytest.raises(IndexError, match="item 8 of"):
        volery.ray.verify(fails, listen="127.0.0.1:0", quiet=True)


def merkle(depth):
    leaves = bytes(i * 7 % 251 for i in range(64 << depth))
    return f"builtin:merkle-root?depth={depth}", {"root": bytes.fromhex(ROOTS[depth])}, {"leaves": leaves}


def test_a_placement_group_holds_the_workers_and_is_gone_behind_them(monkeypatch):
    """And what Ray's metrics are told."""
    from ray.util import metrics, placement_group_table

    told = {}

    def recorded(of, method):
        def tell(self, value=1.0, tags=None):
            of_tags = tuple(sorted(tags.items()))
            before = told.get((self.info["name"], of_tags), 0) if method == "inc" else 0
            told[self.info["name"], of_tags] = before + value
            getattr(of, method)(self, value, tags)

        return type(of.__name__, (of,), {method: tell})

    monkeypatch.setattr(metrics, "Gauge", recorded(metrics.Gauge, "set"))
    monkeypatch.setattr(metrics, "Counter", recorded(metrics.Counter, "inc"))
    groups = []

    def watch(news, state):
        if news["event"] == "placed":
            alive = [group for group in placement_group_table().values() if group["state"] == "CREATED"]
            groups.append(sorted((group["strategy"], len(group["bundles"])) for group in alive))

    prover, verifier = run(
        {"of": merkle(4), "strategy": "PACK", "watch": watch, "workers": 2},
        {"of": merkle(4), "strategy": "STRICT_PACK", "workers": 2},
        shards=3,
    )
    assert prover.accepted and verifier.accepted, (prover, verifier)
    assert ("PACK", 2) in groups[0] and len(groups) == 3
    assert any(("STRICT_PACK", 2) in seen for seen in groups)
    assert {group["state"] for group in placement_group_table().values()} == {"REMOVED"}
    for report in (prover, verifier):
        role = ("role", report.role)
        for state, count in [("accepted", 3), ("waiting", 0), ("open", 0), ("working", 0)]:
            assert told["volery_shards", (role, ("state", state))] == count
        for shard in report["shards"]:
            of_shard = (role, ("shard", str(shard["shard"])))
            assert told["volery_shard_multiplications", of_shard] == shard["gates"]["mul"]
        assert ("volery_lost_attempts", (role,)) not in told


def test_page():
    names = {"__name__": "page"}
    (block,) = re.findall(r"```python\n(.*?)```", (DOCS / "ray.md").read_text(), re.S)
    exec(compile(block, str(DOCS / "ray.md"), "exec"), names)


def program():
    """The program `volery`, where it has been built."""
    target = os.environ.get("CARGO_TARGET_DIR") or pathlib.Path(__file__).parents[3] / "target"
    built = [path for path in (pathlib.Path(target) / profile / "volery" for profile in ("debug", "release")) if path.exists()]
    if not built:
        pytest.skip("needs the program: cargo build --release -p volery-cli")
    return max(built, key=lambda path: path.stat().st_mtime)


@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_the_other_party_may_be_the_program(role, tmp_path):
    relation, public, private = merkle(4)
    (tmp_path / "leaves").write_bytes(private["leaves"])
    verb = "prove" if role == "verifier" else "verify"
    arguments = [program(), "cluster", verb, "--relation", relation, "--public", f"root=0x{ROOTS[4]}"]
    arguments += ["--shards", "3", "--listen", "127.0.0.1:0", "--timeout", "60", "--json"]
    if verb == "prove":
        arguments += ["--private", "leaves=@leaves"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(arguments, cwd=tmp_path, **pipes) as there:
        try:
            address = None
            while address is None:
                line = there.stderr.readline()
                assert line, "it ended without listening"
                address = re.search(r"listening on (\S+)", line)
            values = [public, private] if role == "prover" else [public]
            act = volery.ray.prove if role == "prover" else volery.ray.verify
            report = act(relation, *values, shards=3, connect=address[1], quiet=True, timeout=60)
            out, err = there.communicate(timeout=60)
        finally:
            there.kill()
    assert report.accepted and there.returncode == 0, (report, err)
    other = volery.Report(out.splitlines()[-1])
    assert (report.role, other.accepted) == (role, True)
    for same in ("run", "statement", "gates"):
        assert report[same] == other[same]
