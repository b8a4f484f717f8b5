"""One party's side of a run: its coordinator in this process, its workers on a Ray cluster."""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Callable, Mapping

import ray

from .._circuit import Statement
from .._errors import Invalid
from .._report import Report
from .._sharded import Sharded
from ._stated import Function, Relation
from ._watch import Watch
from ._worker import Fault, Secret, Worker, seal

#: Options that workers take, too; the others are the coordinator's.
_OF_WORKERS = ("system", "field", "vole", "security", "timeout", "bandwidth", "insecure_parameters")
_STRATEGIES = ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")


def prove(
    relation: str | Sharded,
    public: Mapping[str, Any] | list[str] | None = None,
    private: Any = None,
    *,
    shards: int | None = None,
    **options: Any,
) -> Report:
    """Proves a relation in ``shards`` shards, or a function made by ``volery.sharded``, to the verifier's
    coordinator at the other end of ``connect=`` or ``listen=``, by workers on this Ray cluster.

    ``workers``, how many there are at once: as many as the cluster has cores for where none is given; the
    lower number of the two parties counts. ``cpus``, the cores of each, and its threads: 1. ``restarts``, how
    many attempts may be lost in all, on which both parties have to agree: 16. ``strategy``, of a placement
    group (``PACK``, ``SPREAD``, ``STRICT_PACK``, ``STRICT_SPREAD``) that holds a place for each worker from
    the beginning; without it workers are started where there is room. ``host``, the address of this machine
    at which workers join: the one by which Ray knows it. ``quiet``: nothing on standard error. ``watch``,
    called with each piece of news, a dict, and the run's ``State``. All others are those of ``volery.prove``.

    Values of a relation are a mapping, or a list of texts as the command line takes them. A function goes to
    workers as Ray's cloudpickle has it; its private values are by shard, and each worker gets those of its
    own alone. Raises what ``volery.prove`` does, and ``PeerError``; each has the ``shard`` in which it showed,
    or None.
    """
    return _coordinate("prover", relation, (public, private), shards, options)


def verify(
    relation: str | Sharded,
    public: Mapping[str, Any] | list[str] | None = None,
    *,
    shards: int | None = None,
    **options: Any,
) -> Report:
    """Verifies what the prover at the other end of ``connect=`` or ``listen=`` proves in ``shards`` shards,
    by workers on this Ray cluster. Options are those of ``prove``."""
    return _coordinate("verifier", relation, (public, None), shards, options)


def _coordinate(
    role: str, relation: Any, values: tuple[Any, Any], shards: int | None, options: dict[str, Any]
) -> Report:
    taken = {"workers": None, "cpus": 1, "restarts": None, "strategy": None, "host": None}
    taken |= {"quiet": False, "watch": None}
    own = {name: options.pop(name, usual) for name, usual in taken.items()}
    cpus = own["cpus"]
    if not isinstance(cpus, int) or cpus < 1:
        raise Invalid("cpus: a number of cores for each worker, 1 or more")
    if "threads" in options:
        raise Invalid("threads: workers have as many as cores, which are chosen by cpus=")
    progress = options.pop("progress", None)
    run = _Run(progress)
    keywords = {**options, "threads": cpus, "progress": run.look}
    stated: Relation | Function
    if isinstance(relation, Statement):
        stated = Function(role, relation, values, shards, keywords)
    else:
        stated = Relation(role, relation, values, shards, keywords)
    party = stated.party
    if not ray.is_initialized():
        ray.init()
    cores = int(ray.cluster_resources().get("CPU", 1)) // cpus
    workers = own["workers"] or max(1, min(len(party), cores))
    host = own["host"] or ray.util.get_node_ip_address()
    of_workers = {name: options[name] for name in _OF_WORKERS if options.get(name) is not None}
    stated.send({**of_workers, "threads": cpus})
    run.watch = Watch(role, len(party), own["quiet"], own["watch"])
    run.party, run.stated, run.key = party, stated, Secret(party.run_key())
    run.pool = _Pool(role, workers, cpus, own["strategy"], float(options.get("timeout", 60)))
    try:
        news = lambda text: run.watch.hear(json.loads(text))  # noqa: E731
        return Report(party.run(host, workers, own["restarts"], run.launch, news))
    finally:
        run.watch.end()
        run.pool.dismiss()


class _Run:
    """What the coordinator asks of this process while it runs, all on one thread."""

    party: Any
    stated: Relation | Function
    key: Secret
    pool: _Pool
    watch: Watch

    def __init__(self, progress: Callable[..., Any] | None) -> None:
        self._progress = progress
        self._waiting: deque[tuple[int, int, str]] = deque()
        self._working: dict[Any, tuple[Any, int]] = {}

    def launch(self, shard: int, attempt: int, coordinator: str) -> None:
        """Has a worker begin a shard as soon as one is free."""
        self._waiting.append((shard, attempt, coordinator))
        self._place()

    def look(self, progress: Any) -> None:
        """Tells the coordinator of workers that have ended, and places shards; called ten times a second."""
        for ref in _ended(self._working):
            actor, shard = self._working.pop(ref)
            try:
                why = ray.get(ref) or "it is done"
                self.pool.give_back(actor)
                if isinstance(why, Fault):
                    raise _of_function(why, shard)
            except ray.exceptions.RayError as error:
                why = _first_line(error)
                self.pool.lose(actor)
            self.party.exited(shard, why)
        if hasattr(self, "pool"):
            self._place()
            self.watch.show()
        if self._progress is not None:
            self._progress(progress)

    def _place(self) -> None:
        for why in self.pool.hear():
            # It counts as a worker of whichever shard is next, so that those who cannot start are not
            # started for ever.
            if self._waiting:
                self.party.exited(self._waiting.popleft()[0], f"a worker did not start: {why}")
        while self._waiting and (found := self.pool.take(len(self._waiting))):
            shard, attempt, coordinator = self._waiting.popleft()
            actor, node, process = found
            key, share = seal(self.stated.share(shard))
            task, content = self.stated.task(shard, coordinator)
            self._working[actor.work.remote(task, self.key, key, share, content)] = (actor, shard)
            placed = {"event": "placed", "shard": shard, "attempt": attempt}
            self.watch.hear({**placed, "node": node, "process": process})


class _Pool:
    """Actors, as many as shards may be in flight, and no more than are asked for."""

    def __init__(self, role: str, workers: int, cpus: int, strategy: str | None, timeout: float) -> None:
        self._role, self._workers = role, workers
        self._starting: dict[Any, Any] = {}
        self._idle: list[Any] = []
        #: Where those are that have started.
        self._all: dict[Any, tuple[str, int]] = {}
        self._group = None
        self._options: dict[str, Any] = {"num_cpus": cpus, "max_restarts": 0, "max_task_retries": 0}
        if strategy is None:
            self._options["scheduling_strategy"] = "SPREAD"
            return
        if strategy not in _STRATEGIES:
            raise Invalid(f"strategy: one of {', '.join(_STRATEGIES)}, and not {strategy}")
        from ray.util.placement_group import placement_group
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        self._group = placement_group([{"CPU": cpus}] * workers, strategy=strategy)
        if not self._group.wait(timeout_seconds=timeout):
            self.dismiss()
            raise Invalid(
                f"this Ray cluster has no room for {workers} workers of {cpus} cores by {strategy} within "
                f"{timeout:g} s: ask for fewer workers"
            )
        self._options["scheduling_strategy"] = PlacementGroupSchedulingStrategy(self._group)

    def hear(self) -> list[str]:
        """Takes note of actors that have started; why others have not."""
        failed = []
        for ref in _ended(self._starting):
            actor = self._starting.pop(ref)
            try:
                self._all[actor] = ray.get(ref)
                self._idle.append(actor)
            except ray.exceptions.RayError as error:
                failed.append(_first_line(error))
        return failed

    def take(self, wanted: int) -> tuple[Any, str, int] | None:
        """An actor that does nothing, its node and its process, where there is one; so many are wanted."""
        if self._idle:
            actor = self._idle.pop()
            return actor, *self._all[actor]
        room = self._workers - len(self._all) - len(self._starting)
        for _ in range(min(room, wanted - len(self._starting))):
            actor = ray.remote(Worker).options(**self._options).remote(self._role)
            self._starting[actor.where.remote()] = actor
        return None

    def give_back(self, actor: Any) -> None:
        """Takes one back that has ended its shard."""
        self._idle.append(actor)

    def lose(self, actor: Any) -> None:
        """Forgets one that is dead."""
        del self._all[actor]

    def dismiss(self) -> None:
        """Ends all."""
        for actor in [*self._all, *self._starting.values()]:
            try:
                ray.kill(actor)
            except Exception:  # noqa: BLE001 - it is gone
                pass
        if self._group is not None:
            from ray.util.placement_group import remove_placement_group

            remove_placement_group(self._group)
            self._group = None


def _ended(refs: Mapping[Any, Any]) -> list[Any]:
    """Those that have ended, well or not."""
    return ray.wait(list(refs), num_returns=len(refs), timeout=0)[0] if refs else []


def _of_function(fault: Fault, shard: int) -> Invalid:
    """The error of a function that failed at a worker."""
    error = Invalid(f"shard {shard}: {fault.why}")
    error.shard = shard  # type: ignore[attr-defined]
    return error


def _first_line(error: BaseException) -> str:
    """What Ray says of a death, in a line: its errors have pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason is given'}"[:300]
