"""Exceptions, by whose fault it is: the arms of the library's error."""


class Error(Exception):
    """What a check or a proof ends with when it does not end well.

    ``shard`` is the number of the one in which that showed, where the statement falls into some, or None.
    """

    shard: "int | None" = None


class Unsatisfied(Error):
    """The witness does not satisfy the statement; found locally, before anybody is contacted.

    ``assertion`` is the name of the first assertion that does not hold; ``filename`` and ``lineno`` say where
    a function made it. They are None where they are not known, as of what a worker of ``volery.ray`` found.
    ``lanes`` are the lanes of ``volery.map`` that it was made in, the outermost first.
    """

    assertion: "str | None" = None
    filename: "str | None" = None
    lineno: "int | None" = None
    lanes: "tuple[int, ...]" = ()


class Invalid(Error, ValueError):
    """The relation, the values or the options make no sense."""


class Rejected(Error):
    """A check decided against the proof."""


class Disagreed(Error):
    """The two parties were started with different settings, and nothing secret had been sent."""


class Misbehaved(Error):
    """The peer broke the format of messages, or a check of the set-up."""


class Abandoned(Error):
    """The peer left when it could foresee the verdict: this counts as a rejection."""


class LinkError(Error, ConnectionError):
    """The link to the peer failed, closed or stayed silent."""


class PeerError(Error):
    """Of a run in shards: the peer's side was lost, misbehaved, or was started with different settings.

    ``counts_against_peer`` says whether it may have been a failed try to cheat.
    """

    counts_against_peer: bool = False


class Failed(Exception):
    """The function of a worker raised its cause: no try more would come to anything else."""


class Stop(BaseException):
    """Unwinds a function of which nobody reads on; it is raised within the function, and caught outside."""
