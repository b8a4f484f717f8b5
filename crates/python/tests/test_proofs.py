"""Proofs between two threads, two processes, and in bytes."""

import hashlib
import os
import signal
import subprocess
import sys
import threading

import pytest
import volery
from volery import Array, Bytes, Element, Word

RELATION = "builtin:sha256-preimage?length=5"
PUBLIC = {"digest": hashlib.sha256(b"hello").digest()}
PRIVATE = {"message": b"hello"}


@volery.circuit
def preimage(message: Bytes[5], *, digest: bytes):
    volery.assert_equal(volery.sha256(message), digest, "digest")


@volery.circuit(field="f61")
def polynomial(x: Element, *, coefficients: list):
    value = Element(0)
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    volery.assert_equal(value, 0, "root")


@pytest.mark.parametrize("system", ["quicksilver", "wolverine", "limbo", "jko"])
@pytest.mark.parametrize("statement", [RELATION, preimage], ids=["relation", "function"])
def test_systems(statement, system):
    prover, verifier = volery.loopback(statement, PUBLIC, PRIVATE, system=system)
    assert verifier.accepted and verifier.verdict == "accepted"
    assert (prover.role, verifier.role) == ("prover", "verifier")
    assert prover.statement == verifier.statement
    assert prover.bytes.sent == verifier.bytes.received
    assert verifier.gates.mul > 20_000
    assert verifier.security.statistical_bits >= 40


@pytest.mark.parametrize("system", ["voleith", "limbo"])
def test_bytes(system):
    for statement in (preimage, None):
        if statement is None:
            proof, report = volery.prove_to_bytes(RELATION, PUBLIC, PRIVATE, system=system)
            verify = lambda proof, public: volery.verify_bytes(RELATION, proof, public, system=system)
        else:
            proof, report = statement.prove_to_bytes(PUBLIC, PRIVATE, system=system)
            verify = lambda proof, public: statement.verify_bytes(proof, public, system=system)
        assert isinstance(proof, bytes) and report.verdict is None
        assert verify(proof, PUBLIC).accepted
        with pytest.raises((volery.Rejected, volery.Disagreed)):
            verify(proof, {"digest": bytes(32)})
        changed = bytearray(proof)
        changed[-1] ^= 1
        with pytest.raises(volery.Error):
            verify(bytes(changed), PUBLIC)


def test_bits_with_short_macs():
    _, verifier = volery.loopback(preimage, PUBLIC, PRIVATE, field="f2x64")
    assert verifier.accepted and verifier.field == "f2x64"
    assert 40 <= verifier.security.statistical_bits <= 61


@pytest.mark.parametrize("field", ["f61", "f61x2"])
def test_elements(field):
    public = {"coefficients": [6, -5, 1]}
    _, verifier = volery.loopback(polynomial, public, {"x": 3}, field=field)
    assert verifier.accepted and verifier.field == field
    with pytest.raises(volery.Unsatisfied, match="root"):
        volery.loopback(polynomial, public, {"x": 4})


@pytest.mark.parametrize("field", ["goldilocks", "q32", "f65537", "f256"])
def test_other_fields(field):
    @volery.circuit(field=field)
    def product(x: Element, y: Element):
        volery.assert_equal(x * y, 6 if field != "f256" else 6)

    assert volery.loopback(product, private={"x": 2, "y": 3})[1].accepted


def test_a_wrong_witness_that_is_not_checked_is_not_accepted():
    reports = {}
    address = threading.Event()

    def listening(at):
        reports["address"] = at
        address.set()

    def verify():
        # The prover notices, and leaves before it has said anything that could be taken for a proof.
        with pytest.raises((volery.Rejected, volery.Abandoned, volery.LinkError)) as caught:
            preimage.verify(PUBLIC, listen="127.0.0.1:0", listening=listening)
        reports["verifier"] = caught.value

    verifier = threading.Thread(target=verify)
    verifier.start()
    assert address.wait(60)
    with pytest.raises(volery.Error) as caught:
        preimage.prove(PUBLIC, {"message": b"hellp"}, connect=reports["address"], check=False)
    verifier.join()
    assert isinstance(caught.value, (volery.Unsatisfied, volery.Rejected))
    assert "verifier" in reports


def pair(prove, verify):
    """Runs both ends, and gives what each returns or raises."""
    ends = {}
    bound = threading.Event()

    def listening(at):
        ends["address"] = at
        bound.set()

    def run(name, work, *args):
        try:
            ends[name] = work(*args)
        except volery.Error as error:
            ends[name] = error
        finally:
            bound.set()

    verifier = threading.Thread(target=run, args=("verifier", verify, listening))
    verifier.start()
    assert bound.wait(60)
    run("prover", prove, ends.get("address"))
    verifier.join()
    return ends["prover"], ends["verifier"]


def test_other_statements_disagree():
    prover, verifier = pair(
        lambda at: preimage.prove(PUBLIC, PRIVATE, connect=at),
        lambda listening: preimage.verify({"digest": bytes(32)}, listen="127.0.0.1:0", listening=listening),
    )
    assert isinstance(prover, volery.Disagreed) and isinstance(verifier, volery.Disagreed)
    assert "relation= and public=" in str(prover)


def test_tls_with_keys(tmp_path):
    ours, theirs, stranger = volery.Key(), volery.Key(), volery.Key()
    ours.save(tmp_path / "key")
    assert volery.Key.load(tmp_path / "key").id == ours.id
    assert ours.id.startswith("volery1") and ours.id != theirs.id
    with pytest.raises(volery.Error):
        ours.save(tmp_path / "key")
    prover, verifier = pair(
        lambda at: volery.prove(RELATION, PUBLIC, PRIVATE, connect=at, key=tmp_path / "key", peer=theirs.id),
        lambda listening: volery.verify(
            RELATION,
            PUBLIC,
            listen="127.0.0.1:0",
            listening=listening,
            key=theirs,
            peer=[stranger.id, ours.id],
        ),
    )
    assert verifier.accepted and verifier.link == "tls" and verifier.peer.identity == ours.id
    prover, verifier = pair(
        lambda at: volery.prove(RELATION, PUBLIC, PRIVATE, connect=at, key=stranger, peer=theirs.id),
        lambda listening: volery.verify(
            RELATION, PUBLIC, listen="127.0.0.1:0", listening=listening, key=theirs, peer=ours.id, timeout=2
        ),
    )
    assert isinstance(prover, volery.LinkError) and isinstance(verifier, volery.LinkError)


def test_two_processes(tmp_path):
    program = """
import sys, test_proofs as t
print(t.preimage.prove(t.PUBLIC, t.PRIVATE, connect=sys.argv[1]).json())
"""
    child = []

    def listening(at):
        child.append(subprocess.Popen([sys.executable, "-c", program, at], cwd=os.path.dirname(__file__)))

    report = preimage.verify(PUBLIC, listen="127.0.0.1:0", listening=listening)
    assert report.accepted
    assert child[0].wait() == 0


def test_progress_and_running():
    @volery.circuit
    def long(x: Word[32]):
        for _ in range(4000):
            x = x * x + 1
        volery.assert_true(x != 0, "end")

    states = []
    long.check(private={"x": 3}, progress=states.append)
    assert all(state.done >= 0 for state in states)
    running = volery.start(volery.loopback, long, private={"x": 3}, check=False)
    seen = list(running)
    _, verifier = running.result()
    assert verifier.gates.mul > 1_000_000 and seen[-1] > 0 and seen == sorted(seen) or len(seen) > 2

    class Enough(Exception):
        pass

    def enough(state):
        if state.done > 0:
            raise Enough

    with pytest.raises(Enough):
        volery.loopback(long, private={"x": 3}, check=False, progress=enough)
    tqdm = pytest.importorskip("tqdm")
    with open(os.devnull, "w") as nowhere:
        report = volery.start(long.check, private={"x": 3}).bar(tqdm.tqdm, file=nowhere)
    assert report.satisfied


def test_numpy():
    numpy = pytest.importorskip("numpy")
    vector = numpy.arange(1, 9)
    matrix = numpy.eye(8, dtype=int)[::-1]

    @volery.circuit(field="f61")
    def linear(v: Array[Element, 8], *, m, sums):
        volery.assert_equal(v.map(m), sums)
        volery.assert_equal(v[0] * v[7], 8)

    linear.check({"m": matrix, "sums": matrix @ vector}, {"v": vector})
    relation = "builtin:linear?rows=2&columns=3"
    a = numpy.array([[1, 2, 3], [0, -1, 4]])
    x = numpy.array([5, 6, 7])
    volery.check(relation, {"matrix": a, "b": a @ x}, {"x": x}, field="f61")
    with pytest.raises(volery.Unsatisfied):
        volery.check(relation, {"matrix": a, "b": a @ x}, {"x": x + 1}, field="f61")
    # Numbers with a point are for ports whose elements stand for such.
    for floats in (x.astype("f4"), [5.0, 6, 7], 5.0):
        with pytest.raises(volery.Invalid, match="x: the .npy array has floats"):
            volery.check(relation, {"matrix": a, "b": a @ x}, {"x": floats}, field="f61")
    with pytest.raises(volery.Invalid, match=r"another order of bytes: save x.astype\('<i8'\)"):
        volery.check(relation, {"matrix": a, "b": a @ x}, {"x": x.astype(">i8")}, field="f61")
    digest = numpy.frombuffer(PUBLIC["digest"], dtype=numpy.uint8)
    volery.check(RELATION, {"digest": digest}, PRIVATE)


def test_memory_is_of_live_values():
    """A loop of many words takes no more than a short one."""
    program = """
import sys, volery
@volery.circuit
def long(x: volery.Word[32], *, rounds):
    for _ in range(rounds):
        x = (x + 12345) ^ (x << 3)
    volery.assert_true(x != 0)
print(volery.loopback(long, {"rounds": int(sys.argv[1])}, {"x": 1})[1].peak_rss_bytes)
"""
    peaks = [
        int(subprocess.run([sys.executable, "-c", program, rounds], check=True, capture_output=True).stdout)
        for rounds in ("1000", "60000")
    ]
    assert peaks[1] < peaks[0] + 32_000_000


@pytest.mark.parametrize("waiting", ["listening", "proving", "running"])
def test_interrupts(waiting):
    """Ctrl-C ends a session at once, and the peer hears of it."""
    program = f"""
import signal, sys, volery
# As a shell starts what it waits for.
signal.signal(signal.SIGINT, signal.default_int_handler)

@volery.circuit
def endless(x: volery.Word[32], *, rounds):
    for _ in range(rounds):
        x = x * x + 1
    volery.assert_true(x != 0)

def ready(*_):
    print("ready", flush=True)

try:
    if "{waiting}" == "listening":
        endless.verify({{"rounds": 1}}, listen="127.0.0.1:0", listening=ready)
    elif "{waiting}" == "proving":
        volery.loopback(endless, {{"rounds": 1 << 40}}, {{"x": 3}}, check=False, progress=ready)
    else:
        endless.check({{"rounds": 1 << 40}}, {{"x": 3}}, progress=ready)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130 and out.endswith("interrupted\n")


def test_a_program_that_ends_ends_its_sessions():
    """Whatever still runs on other threads is interrupted, and waited for, before the interpreter goes."""
    program = """
import volery

@volery.circuit
def endless(x: volery.Word[32], *, rounds):
    for _ in range(rounds):
        x = x * x + 1
    volery.assert_true(x != 0)

rounds = {"rounds": 1 << 40}
running = [
    volery.start(volery.loopback, endless, rounds, {"x": 3}, check=False),
    volery.start(endless.check, rounds, {"x": 3}),
    volery.start(endless.verify, rounds, listen="127.0.0.1:0"),
]
for one in running:
    next(one.states())
"""
    ended = subprocess.run([sys.executable, "-c", program], timeout=60, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_loopback_ends_the_verifier_of_a_prover_that_never_comes():
    """Its own error is raised, though the verifier waits for a peer."""
    with pytest.raises(TypeError):
        volery.loopback(RELATION, PUBLIC, 5, check=False)
