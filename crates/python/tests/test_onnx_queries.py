"""Proofs of networks: two ends in two threads of this process, and whatever goes wrong."""

import pathlib
import threading

import numpy as np
import pytest
import volery

pytest.importorskip("onnx", reason="takes the extra onnx")
pytest.importorskip("onnxruntime", reason="takes the extra onnx")

import volery.onnx  # noqa: E402

FIXTURES = pathlib.Path(__file__).parents[2] / "onnx/tests/fixtures"
KEYS = [volery.Key(), volery.Key()]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The public graph and the weights of a network."""
    folder = tmp_path_factory.mktemp("networks")
    public, weights = folder / "net.arch.onnx", folder / "net.weights.npy"
    volery.onnx.split(FIXTURES / "dense.q.onnx", public=public, weights=weights)
    return public, weights


def both(verify, prove):
    """How verifier and prover end, where the verifier listens."""
    ended, bound = {}, threading.Event()

    def listening(at):
        ended["at"] = at
        bound.set()

    def verifier():
        try:
            link = dict(listen="127.0.0.1:0", listening=listening, key=KEYS[0], peer=KEYS[1].id)
            ended["verifier"] = verify(threads=1, **link)
        except Exception as why:
            ended["verifier"] = why
        bound.set()

    thread = threading.Thread(target=verifier)
    thread.start()
    assert bound.wait(20)
    try:
        link = dict(connect=ended["at"], key=KEYS[1], peer=KEYS[0].id)
        ended["prover"] = prove(threads=1, **link)
    except Exception as why:
        ended["prover"] = why
    thread.join()
    return ended["verifier"], ended["prover"]


X = np.linspace(-1, 1, 9)
FAR = np.full(9, 255.0)


def iterated(files, **more):
    """A verifier that iterates to the end: its answers, and the report."""

    def verify(**link):
        with volery.onnx.verify_session(files[0], **more, **link) as asked:
            return list(asked), asked.report

    return verify


def test_sessions(files):
    """Floats and integers, one alone or by name; a query that does not fit is left out."""
    shown = ["x", "logits", "class"]

    def prove(**link):
        with volery.onnx.session(*files, show=shown, **link) as asked:
            answers = [asked.query(X), asked.query({"x": X[None]})]
            with pytest.raises(volery.Unsatisfied, match='node "r1/Relu"') as overflow:
                asked.query(FAR)
            assert "r1/Relu" in overflow.value.assertion
            with pytest.raises(volery.Invalid, match=r"x has the shape \[9, 1\], .* \[1, 9\]: transpose it"):
                asked.query(X[:, None])
            with pytest.raises(volery.Invalid, match="input x: .*more than 16 bits"):
                asked.query(np.arange(9) + (1 << 15))
            with pytest.raises(volery.Invalid, match="z is no input of the network: there is x"):
                asked.query({"x": X, "z": X})
            with pytest.raises(
                TypeError, match="input x: an array of floats or integers, and this is of bool"
            ):
                asked.query({"x": X > 0})
            answers.append(asked.query(answers[0].values["x"].astype(np.int16)[0]))
        with pytest.raises(volery.Invalid, match="the session is over: open another"):
            asked.query(X)
        return answers, asked.report

    (theirs, verified), (ours, proved) = both(iterated(files, show=shown), prove)
    assert verified.accepted and verified.queries == proved.queries == len(ours) == len(theirs) == 3
    expected = volery.onnx.Network(FIXTURES / "dense.q.onnx").run({"x": X[None]})["logits"]
    for answer in ours + theirs:
        assert list(answer.values) == shown and answer.report.accepted
        assert np.array_equal(answer.values["logits"], expected) and expected.dtype == np.int64
        assert answer.values["class"].tolist() == expected.argmax(-1).tolist()
        assert np.array_equal(answer.floats["logits"], expected / 2 ** answer.exponents["logits"])
        assert np.array_equal(answer.floats["x"], np.floor(X[None] * 128 + 0.5) / 128)


def test_one_query(files):
    """The weights may be in the prover's file; what is shown is the class."""
    verified, proved = both(
        lambda **link: volery.onnx.verify(files[0], **link),
        lambda **link: volery.onnx.prove(FIXTURES / "dense.q.onnx", X, **link),
    )
    assert verified.values == proved.values and list(proved.values) == ["class"]
    assert verified.report.queries == proved.report.queries == 1 and verified.report.link == "tls"


@pytest.mark.parametrize("queries, why", [(0, "without a query"), (2, "another query: verify_session")])
def test_one_query_is_one(files, queries, why):
    def prove(**link):
        with volery.onnx.session(files[0], np.load(files[1]), **link) as asked:
            for _ in range(queries):
                asked.query(X)

    verified, _ = both(lambda **link: volery.onnx.verify(files[0], **link), prove)
    assert isinstance(verified, volery.Disagreed) and why in str(verified)


def test_whoever_leaves_is_heard_of(files):
    """An error within a session closes its link, and so does a verifier that stops iterating."""

    def fail(**link):
        with volery.onnx.session(*files, **link) as asked:
            asked.query(X)
            raise KeyError("mine")

    verified, proved = both(iterated(files), fail)
    assert isinstance(verified, (volery.LinkError, volery.Abandoned)) and "closed the link" in str(verified)
    assert isinstance(proved, KeyError)

    def leave(**link):
        for answer in volery.onnx.verify_session(files[0], **link):
            return answer

    def prove(**link):
        asked = volery.onnx.session(*files, **link)
        asked.query(X)
        with pytest.raises((volery.LinkError, volery.Abandoned)):
            for _ in range(3):
                asked.query(X)
        with pytest.raises(volery.Invalid, match="the session is over"):
            asked.end()
        return asked.report

    verified, proved = both(leave, prove)
    assert verified.values["class"].shape == (1,) and proved is None


def test_nobody_is_contacted(files):
    """What is wrong with files, names and values is found before."""
    public, weights = files
    nowhere = dict(connect="127.0.0.1:1", timeout=0.2)
    wrong = np.load(weights)
    wrong[0] = 1 << 30
    for error, match, given in [
        (volery.Unsatisfied, 'node "r1/Relu"', (public, FAR, weights)),
        (volery.Invalid, "weights are apart from this graph: .* by weights=", (public, X)),
        (volery.Invalid, "weights=: .* has its weights: give none", (FIXTURES / "dense.q.onnx", X, weights)),
        (volery.Invalid, "weights=: entry .* has more than", (public, X, wrong)),
        (volery.Invalid, "weights=: the array has floats", (public, X, wrong * 1.0)),
        (volery.Invalid, "net.weights.npy", (weights, X)),
        (volery.Invalid, "no-such.onnx: No such file", ("no-such.onnx", X)),
        (volery.LinkError, "start the other side", (public, X, weights)),
    ]:
        with pytest.raises(error, match=match):
            volery.onnx.prove(*given, **nowhere)
    with pytest.raises(volery.Invalid, match="no input or output label: there is x, logits, class"):
        volery.onnx.verify(public, show=["label"], **nowhere)
    with pytest.raises(volery.Invalid, match="no output is public"):
        volery.onnx.verify(public, show=["x"], **nowhere)
    with pytest.raises(TypeError, match="show= is a list of names"):
        volery.onnx.verify(public, show="class", **nowhere)
    with pytest.raises(volery.Invalid, match="public=.*there is a file of this name"):
        volery.onnx.split(FIXTURES / "dense.q.onnx", public=public, weights=weights)


def test_both_say_the_same(files):
    verified, proved = both(
        iterated(files, show=["logits"]), lambda **link: volery.onnx.prove(files[0], X, files[1], **link)
    )
    assert isinstance(verified, volery.Disagreed) and isinstance(proved, (volery.Disagreed, volery.LinkError))
