from collections.abc import Callable, Iterable, Mapping
from os import PathLike

from typing_extensions import Unpack

from . import Options, Report

_Path = str | PathLike[str]
_Headers = Mapping[str, str | bytes] | None

def preview(
    policy: _Path | None = None,
    headers: _Headers = None,
    *,
    url: str | None = None,
    address: str | None = None,
    hidden: Iterable[str | bytes] = (),
    roots: _Path | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
) -> Report: ...
def prove(
    policy: _Path,
    headers: _Headers = None,
    *,
    hidden: Iterable[str | bytes] = (),
    roots: _Path | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
    confirm: Callable[[Report], bool] | None = None,
    **options: Unpack[Options],
) -> Report: ...
def prove_to_bytes(
    policy: _Path,
    headers: _Headers = None,
    *,
    hidden: Iterable[str | bytes] = (),
    roots: _Path | None = None,
    reveal: Iterable[str] = (),
    claims: Iterable[str] = (),
    show: Iterable[tuple[int, int]] = (),
    show_all: bool = False,
    confirm: Callable[[Report], bool] | None = None,
    **options: Unpack[Options],
) -> tuple[bytes, Report]: ...
def verify(policy: _Path, *, record: bool = False, **options: Unpack[Options]) -> Report: ...
def verify_bytes(
    bundle: bytes, *, relay: str | Iterable[str], policy: _Path, **options: Unpack[Options]
) -> Report: ...
