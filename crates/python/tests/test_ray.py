"""Runs in shards on two Ray clusters of this machine, one for each party, with workers and coordinators that
are killed at times that the tests choose."""

import doctest
import importlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading

import pytest
import volery

pytest.importorskip("ray")
pytestmark = pytest.mark.ray

#: The longest wait for anything, in seconds.
PATIENCE = 120


#: The roots of trees over leaves whose byte number i is 7 i modulo 251, by depth: each leaf and each pair of
#: nodes is one compression of SHA-256.
ROOTS = {
    4: "638e4d17e3afa554fe736b58d3e6f5b90e28faea94c95f63165694079c2a3ae1",
    9: "00a96f879ed90d6024cb2c5b1b3a988e445e1edebd5ffe73a5361ce58c2fd7fb",
}


class Party:
    """A process of its own; `heard` has all it said."""

    def __init__(self, role, **options):
        script = pathlib.Path(__file__).with_name("ray_party.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), role, json.dumps(options)],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.heard = []
        self._lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self._lines.put(json.loads(line))
        self._lines.put(None)

    def hear(self, wanted):
        """The first that it says from now on of which `wanted` holds; None where it ends before."""
        while (told := self._lines.get(timeout=PATIENCE)) is not None:
            self.heard.append(told)
            if wanted(told):
                return told
        return None

    def result(self):
        told = self.hear(lambda told: "exit_code" in told)
        assert told is not None, f"it ended with nothing but {self.heard[-3:]}"
        return told

    def process_of(self, shard):
        """The process that does this shard."""
        placed = [told for told in self.heard if told.get("event") == "placed" and told["shard"] == shard]
        return placed[-1]["process"]

    def lost(self):
        return [told["shard"] for told in self.heard if told.get("event") == "lost"]


@pytest.fixture
def parties():
    """Starts both parties; `prover` and `verifier` are further options of each."""
    started = []

    def start(depth, shards=4, prover={}, verifier={}, **options):
        options = {
            "relation": f"builtin:merkle-root?depth={depth}",
            "root": ROOTS[depth],
            "shards": shards,
            "timeout": 30,
            **options,
        }
        there = Party("verify", **{"listen": "127.0.0.1:0", **options, **verifier})
        started.append(there)
        listening = there.hear(lambda told: told.get("event") == "listening" or "exit_code" in told)
        address = listening["address"]
        here = Party("prove", **{"connect": address, "depth": depth, **options, **prover})
        started.append(here)
        return here, there

    yield start
    for party in started:
        if party.process.poll() is None:
            party.process.terminate()
        party.process.wait(PATIENCE)


def at_work(told):
    return told.get("event") == "working" and told["gates"] > 0


def accepted(here, there, shards=4):
    """Demands that both say so, of one run."""
    prover, verifier = here.result(), there.result()
    assert (prover["verdict"], verifier["verdict"]) == ("accepted", "accepted"), (prover, verifier)
    assert len(prover["shards"]) == len(verifier["shards"]) == shards
    for same in ("run", "statement", "gates", "restarts"):
        assert prover[same] == verifier[same]
    attempts = [shard["attempts"] for shard in verifier["shards"]]
    assert attempts == [shard["attempts"] for shard in prover["shards"]]
    return prover, verifier, attempts


def test_accepts_as_one_machine_does(parties):
    prover, verifier, attempts = accepted(*parties(4))
    assert attempts == [1] * 4 and verifier["restarts"] == 0
    whole = volery.count("builtin:merkle-root?depth=4", {"root": bytes.fromhex(ROOTS[4])})
    assert verifier["gates"] == dict(whole.gates) and verifier["inputs"] == whole.inputs
    assert prover["bytes"]["sent"] == verifier["bytes"]["received"]
    assert verifier["security"]["statistical_bits"] >= 100
    for shard in verifier["shards"]:
        assert shard["peak_rss_bytes"] > 0 and shard["seconds"]["online"] > 0


def test_accepts_nothing_that_does_not_hold(parties):
    wrong = ROOTS[4][:-1] + "0"
    assert wrong != ROOTS[4]
    here, there = parties(4, root=wrong, prover={"check": False})
    prover, verifier = here.result(), there.result()
    assert (prover["kind"], verifier["kind"]) == ("Unsatisfied", "PeerError"), (prover, verifier)
    assert "shard 3" in prover["error"] and verifier["verdict"] is None


def test_does_a_lost_shard_again(parties):
    here, there = parties(9)
    shard = here.hear(at_work)["shard"]
    os.kill(here.process_of(shard), signal.SIGKILL)
    _, verifier, attempts = accepted(here, there)
    assert attempts == [1 + (i == shard) for i in range(4)] and verifier["restarts"] == 1
    assert here.lost() == there.lost() == [shard]


def test_says_what_the_two_disagree_on(parties):
    here, there = parties(4, prover={"shards": 3})
    prover, verifier = here.result(), there.result()
    assert (prover["exit_code"], verifier["exit_code"]) == (3, 3), (prover, verifier)
    for told in (prover, verifier):
        assert "3 shards" in told["error"] and "4 shards" in told["error"]


@pytest.mark.parametrize("name", ["_watch", "_worker"])
def test_doctests(name):
    failed, tried = doctest.testmod(importlib.import_module(f"volery.ray.{name}"))
    assert failed == 0 and tried > 0


@pytest.mark.ray_long
def test_does_a_shard_again_that_the_verifier_lost(parties):
    here, there = parties(9)
    shard = there.hear(at_work)["shard"]
    os.kill(there.process_of(shard), signal.SIGKILL)
    _, verifier, attempts = accepted(here, there)
    assert attempts == [1 + (i == shard) for i in range(4)] and verifier["restarts"] == 1


@pytest.mark.ray_long
@pytest.mark.parametrize("killed", ["prover", "verifier"])
def test_a_coordinator_that_is_killed_ends_the_run_of_the_other(parties, killed):
    here, there = parties(9)
    victim, other = (here, there) if killed == "prover" else (there, here)
    victim.hear(at_work)
    victim.process.kill()
    result = other.result()
    assert result["verdict"] is None and result["exit_code"] in (1, 3), result
    assert result["error"]


@pytest.mark.ray_long
@pytest.mark.parametrize("role", ["prover", "verifier"])
def test_goes_on_without_a_node(parties, role):
    there_are = {"nodes": [2, 2], "kill_node_at": "working", "workers": 4}
    here, there = parties(9, **{role: there_are})
    _, verifier, attempts = accepted(here, there)
    party = here if role == "prover" else there
    (killing,) = [told for told in party.heard if told.get("event") == "killing"]
    # What was placed elsewhere, or had ended there before, is not done again.
    again = [shard for shard, tried in enumerate(attempts) if tried > 1]
    assert again and set(again) <= set(killing["shards"]) and verifier["restarts"] == len(again)
