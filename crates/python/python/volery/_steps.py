"""A proof that goes on in the background, and how far it has come."""

from __future__ import annotations

import queue
from typing import Any, Callable, Iterator

from ._background import Background
from ._report import Progress


class Running:
    """What ``start`` has started: iterate over it for progress, and ask it for its result.

    Leaving the loop early ends nothing; ``cancel`` does.
    """

    def __init__(self, work: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._states: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
        self._background = Background(lambda heard: self._begin(work, args, kwargs, heard), self._states.put)
        self._background.start()

    def _begin(self, work: Callable[..., Any], args: Any, kwargs: Any, heard: Any) -> Any:
        try:
            return work(*args, progress=heard, **kwargs)
        finally:
            self._states.put(None)

    def cancel(self) -> None:
        """Ends the session; ``result`` then raises ``KeyboardInterrupt``."""
        self._background.cancel()

    def states(self) -> Iterator[Progress]:
        """Each state of progress, about ten a second, until the end."""
        try:
            while (state := self._states.get()) is not None:
                yield state
        except KeyboardInterrupt:
            self.cancel()
            raise

    def __iter__(self) -> Iterator[int]:
        """How many multiplications are done, each time that is told."""
        for state in self.states():
            yield state.done

    def result(self, timeout: float | None = None) -> Any:
        """Waits for the end, and gives what the work gave.

        Raises what the work raised, and ``TimeoutError``.
        """
        background = self._background
        background.join(timeout)
        if background.is_alive():
            raise TimeoutError("it goes on")
        if background.error is not None:
            raise background.error
        return background.made

    def bar(self, tqdm: Any, **options: Any) -> Any:
        """Shows progress by a bar of ``tqdm``, and gives the result."""
        with tqdm(unit=" gates", unit_scale=True, **options) as bar:
            for state in self.states():
                if state.total is not None and bar.total != state.total:
                    bar.total = state.total
                bar.update(state.done - bar.n)
        return self.result()


def start(work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Running:
    """Starts ``prove``, ``verify`` or their like on a thread of its own.

    >>> import volery
    >>> @volery.circuit
    ... def odd(x: volery.Word[8]):
    ...     volery.assert_true(x[0], "odd")
    >>> running = volery.start(odd.check, private={"x": 3})
    >>> running.result().satisfied
    True
    """
    return Running(work, args, kwargs)
