"""A proof that goes on in the background, and how far it has come."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Iterator

from ._report import Progress


class Running:
    """What ``start`` has started: iterate over it for progress, and ask it for its result.

    Leaving the loop early ends nothing; ``cancel`` does.
    """

    def __init__(self, work: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._states: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
        self._cancelled = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, args=(work, args, kwargs), daemon=True)
        self._thread.start()

    def _work(self, work: Callable[..., Any], args: Any, kwargs: Any) -> None:
        try:
            self._result = work(*args, progress=self._hear, **kwargs)
        except BaseException as error:  # noqa: B902 - it is raised where the result is asked for
            self._error = error
        finally:
            self._states.put(None)

    def _hear(self, state: Progress) -> None:
        if self._cancelled:
            raise KeyboardInterrupt("cancelled")
        self._states.put(state)

    def cancel(self) -> None:
        """Ends the session; ``result`` then raises ``KeyboardInterrupt``."""
        self._cancelled = True

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
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError("it goes on")
        if self._error is not None:
            raise self._error
        return self._result

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
