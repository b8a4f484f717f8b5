"""How a run fares: on the terminal, and in Ray's dashboard."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, TextIO

#: Seconds between two lines, on a terminal and elsewhere.
BETWEEN = (0.5, 5.0)


class State:
    """What is known of a run: ``shards`` has a dict for each, whose ``state`` is ``waiting``, ``open``,
    ``working`` or ``accepted``, with its ``attempt``, multiplications done, ``gates``, and where it is,
    ``node`` and ``process``; ``lost`` counts attempts."""

    def __init__(self, role: str, shards: int) -> None:
        self.role = role
        new = {"state": "waiting", "attempt": 0, "gates": 0}
        self.shards: list[dict[str, Any]] = [new.copy() for _ in range(shards)]
        self.lost = 0
        self.begun = time.monotonic()

    def hear(self, news: dict[str, Any]) -> None:
        """Takes note of what has happened."""
        shard = self.shards[news["shard"]] if "shard" in news else {}
        event = news["event"]
        if event == "placed":
            shard.update(node=news["node"], process=news["process"])
        elif event == "open":
            shard.update(state="open", attempt=news["attempt"])
        elif event == "begun":
            shard.update(state="working", attempt=news["attempt"])
        elif event == "working":
            shard["gates"] = news["gates"]
        elif event == "lost":
            shard.update(state="open", gates=0)
            self.lost += 1
        elif event == "accepted":
            shard.update(state="accepted", gates=news["figures"]["gates"]["mul"])

    def count(self, state: str) -> int:
        """How many shards are in this state."""
        return sum(shard["state"] == state for shard in self.shards)

    @property
    def gates(self) -> int:
        """Multiplications done in all shards."""
        return sum(shard["gates"] for shard in self.shards)

    def line(self) -> str:
        """It in a line.

        >>> State("prover", 3).line()
        'prover: 0 of 3 shards accepted, 0 at work; 0 multiplications'
        """
        speed = self.gates / max(time.monotonic() - self.begun, 1e-9)
        line = f"{self.role}: {self.count('accepted')} of {len(self.shards)} shards accepted"
        line += f", {self.count('working')} at work; {short(self.gates)} multiplications"
        if self.gates:
            line += f", {short(speed)}/s"
        if self.lost:
            line += f"; {self.lost} attempts lost"
        return line


def short(number: float) -> str:
    """A number in a few letters.

    >>> short(12), short(1234567)
    ('12', '1.2 M')
    """
    for unit in ("", " k", " M", " G", " T"):
        if number < 1000:
            return f"{number:.1f}{unit}" if unit else f"{number:.0f}"
        number /= 1000
    return f"{number:.1f} P"


class Terminal:
    """Lines on standard error: one that is written over on a terminal, and elsewhere one now and then."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._bar = self._out.isatty()
        self._last = time.monotonic()
        self._drawn = False

    def say(self, line: str) -> None:
        """Says this on a line of its own."""
        self._out.write(("\r\x1b[K" if self._drawn else "") + f"volery: {line}\n")
        self._out.flush()
        self._drawn = False

    def show(self, state: State) -> None:
        """Shows it, if it is time."""
        now = time.monotonic()
        if now - self._last < BETWEEN[0 if self._bar else 1]:
            return
        self._last = now
        if self._bar:
            self._out.write(f"\r\x1b[K{state.line()}")
            self._out.flush()
            self._drawn = True
        else:
            self.say(state.line())

    def end(self) -> None:
        """Leaves the line."""
        if self._drawn:
            self._out.write("\n")
            self._out.flush()
            self._drawn = False


class Dashboard:
    """Figures for Ray's dashboard, and whatever reads Ray's metrics; none where Ray has no place for them."""

    def __init__(self, role: str) -> None:
        self._role = {"role": role}
        self._lost = 0
        try:
            from ray.util.metrics import Counter, Gauge

            self._shards = Gauge("volery_shards", "Shards of the run", tag_keys=("role", "state"))
            self._gates = Gauge(
                "volery_shard_multiplications", "Multiplications done", tag_keys=("role", "shard")
            )
            self._attempts = Counter("volery_lost_attempts", "Attempts lost", tag_keys=("role",))
        except Exception:  # noqa: BLE001 - figures are no reason to fail
            self._shards = None

    def show(self, state: State) -> None:
        """Shows it."""
        if self._shards is None:
            return
        try:
            for name in ("waiting", "open", "working", "accepted"):
                self._shards.set(state.count(name), {**self._role, "state": name})
            for i, shard in enumerate(state.shards):
                if shard["state"] in ("working", "accepted"):
                    self._gates.set(shard["gates"], {**self._role, "shard": str(i)})
            if state.lost > self._lost:
                self._attempts.inc(state.lost - self._lost, self._role)
                self._lost = state.lost
        except Exception:  # noqa: BLE001
            self._shards = None


class Watch:
    """Hears the news of a run, and shows it."""

    def __init__(
        self, role: str, shards: int, quiet: bool, watch: Callable[[dict[str, Any], State], Any] | None
    ) -> None:
        self.state = State(role, shards)
        self._terminal = None if quiet else Terminal()
        self._dashboard = Dashboard(role)
        self._watch = watch
        self._shown = 0.0

    def hear(self, news: dict[str, Any]) -> None:
        """Takes what has happened."""
        self.state.hear(news)
        if news["event"] == "lost":
            self.say(f"shard {news['shard']} is begun again: {news['why']}")
        elif news["event"] == "turned_away":
            self.say(f"turned away: {news['why']}")
        if self._watch is not None:
            self._watch(news, self.state)

    def say(self, line: str) -> None:
        """Says this on the terminal."""
        if self._terminal is not None:
            self._terminal.say(line)

    def show(self) -> None:
        """Shows how the run fares, if it is time."""
        if self._terminal is not None:
            self._terminal.show(self.state)
        if time.monotonic() - self._shown > 1:
            self._shown = time.monotonic()
            self._dashboard.show(self.state)

    def end(self) -> None:
        """Shows the last of it."""
        self._dashboard.show(self.state)
        if self._terminal is not None:
            self._terminal.end()
