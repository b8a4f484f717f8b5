"""Sessions on threads of their own, which end before the interpreter does."""

from __future__ import annotations

import atexit
import threading
import weakref
from typing import Any, Callable

from ._report import Progress

_living: weakref.WeakSet[Background] = weakref.WeakSet()


class Background(threading.Thread):
    """A session that goes on while the caller does something else.

    ``work`` is called with a function for ``progress``; that hands each state on to ``hear``, and is
    where a cancelled session is interrupted.
    """

    def __init__(self, work: Callable[..., Any], hear: Callable[[Progress], Any] | None = None) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._hear = hear
        self._cancelled = False
        self.made: Any = None
        self.error: BaseException | None = None
        _living.add(self)

    def run(self) -> None:
        try:
            self.made = self._work(self._progress)
        except BaseException as error:  # noqa: B902 - it is raised where the result is asked for
            self.error = error

    def _progress(self, state: Progress) -> None:
        if self._cancelled:
            raise KeyboardInterrupt("cancelled")
        if self._hear is not None:
            self._hear(state)

    def cancel(self) -> None:
        """Ends the session soon; its error is then ``KeyboardInterrupt``."""
        self._cancelled = True


@atexit.register
def _end_all() -> None:
    # A thread that comes back from Rust into an interpreter that is gone would end the process by a signal.
    living = [one for one in _living if one.is_alive()]
    for one in living:
        one.cancel()
    for one in living:
        one.join()
