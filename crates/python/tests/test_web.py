"""Web proofs: a server of this process, a relay and a prover in two threads, and a file for others."""

import pathlib
import socket
import ssl
import threading

import pytest
import volery

CERTIFICATES = pathlib.Path(__file__).parents[2] / "web/tests/certificates"
BODY = b'{"owner":"Alice Ex","balance":123456789}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)

POLICY = """host = "bank.example"
address = "127.0.0.1:{port}"
roots = "{root}"
request = "GET /balance"
fields = ["cookie?"]
reveal = ["$.balance"]
choose = ["claims"]
"""


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """The policy for a server that answers as often as it is asked."""
    folder = tmp_path_factory.mktemp("web")
    chain = folder / "chain.pem"
    chain.write_bytes(b"".join((CERTIFICATES / name).read_bytes() for name in ("bank.pem", "between.pem")))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, CERTIFICATES / "bank.key")
    context.set_alpn_protocols(["http/1.1"])
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                    request = b""
                    while not request.endswith(b"\r\n\r\n"):
                        request += connection.recv(4096)
                    connection.sendall(HEAD + BODY)
            except OSError:
                if listener.fileno() < 0:
                    return

    threading.Thread(target=serve, daemon=True).start()
    path = folder / "balance.toml"
    path.write_text(POLICY.format(port=listener.getsockname()[1], root=CERTIFICATES / "root.pem"))
    yield path
    listener.close()


OWN = {"headers": {"cookie": "id=s3cr3t"}, "roots": CERTIFICATES / "root.pem"}


def both(prove, policy, record=False, **own):
    """How prover and verifier end, over a link with keys."""
    keys = [volery.Key(), volery.Key()]
    ended = {}
    address = threading.Event()

    def listening(at):
        ended["at"] = at
        address.set()

    def verifier():
        try:
            ended["verifier"] = volery.web.verify(
                policy, record=record, listen="127.0.0.1:0", key=keys[0], peer=keys[1].id, listening=listening
            )
        except volery.Error as why:
            ended["verifier"] = why
        address.set()

    thread = threading.Thread(target=verifier)
    thread.start()
    assert address.wait(20)
    try:
        ended["prover"] = prove(policy, connect=ended["at"], key=keys[1], peer=keys[0].id, **OWN, **own)
    except volery.Error as why:
        ended["prover"] = why
    thread.join()
    return ended["prover"], ended["verifier"], keys[0].id


def test_previews_need_nobody(policy):
    web = volery.web.preview(policy, **OWN).web
    assert web["revealed"]["$.balance"] == "123456789" and "s3cr3t" not in str(web)
    with pytest.raises(volery.Invalid, match="no field x-user"):
        volery.web.preview(policy, {"x-user": "me"}, roots=OWN["roots"])
    with pytest.raises(volery.Invalid, match="cannot be read"):
        volery.web.preview("no-such.toml")
    address = next(line for line in policy.read_text().splitlines() if "address" in line).split('"')[1]
    url = dict(url="https://bank.example/balance", address=address, **OWN)
    web = volery.web.preview(claims=["$.balance >= 5"], **url).web
    assert web["claims"] == ["$.balance >= 5"] and web["hidden"]["request"] == ["cookie"]
    with pytest.raises(TypeError, match="a policy, or url="):
        volery.web.preview(policy, **url)


def test_provers_choose_what_they_may(policy):
    claim = '$.owner matches "[A-Z][a-z]+ [A-Z]x"'
    prover, verifier, _ = both(volery.web.prove, policy, claims=[claim])
    assert prover.web["chosen"] == verifier.web["chosen"] == {"revealed": {}, "claims": [claim]}
    assert verifier.web["claims"] == []
    with pytest.raises(volery.Invalid, match="adds paths of its own choice"):
        volery.web.preview(policy, reveal=["$.owner"], **OWN)
    with pytest.raises(TypeError, match="claims= is a list"):
        volery.web.preview(policy, claims=claim, **OWN)


def test_answers_are_proved_once_confirmed(policy):
    asked = []
    prover, verifier, _ = both(volery.web.prove, policy, confirm=lambda seen: asked.append(seen) or True)
    revealed = {"$.balance": "123456789"}
    assert verifier.accepted and verifier.web["revealed"] == prover.web["revealed"] == revealed
    assert asked[0].web["revealed"] == prover.web["revealed"] and verifier.web["record"] is None
    prover, verifier, _ = both(volery.web.prove, policy, confirm=lambda seen: False)
    assert isinstance(prover, volery.Invalid) and "nothing is opened" in str(prover)
    assert isinstance(verifier, volery.LinkError)


def test_files_are_for_others(policy):
    (bundle, report), signed, relay = both(volery.web.prove_to_bytes, policy, record=True)
    assert report.verdict is None and signed.verdict is None
    assert report.web["record"] == signed.web["record"] and signed.web["record"]["relay"] == relay
    verdict = volery.web.verify_bytes(bundle, relay=relay, policy=policy)
    assert verdict.accepted and verdict.web["record"] == signed.web["record"]
    assert verdict.web["body"] == '{"owner":‹10 hidden›,"balance":123456789}'
    with pytest.raises(volery.Rejected, match="not the relay that is believed"):
        volery.web.verify_bytes(bundle, relay=[volery.Key().id], policy=policy)
    with pytest.raises(volery.Rejected):
        volery.web.verify_bytes(bundle[:-1], relay=relay, policy=policy)
    with pytest.raises(volery.Invalid, match="relay="):
        volery.web.verify_bytes(bundle, relay="volery1", policy=policy)
