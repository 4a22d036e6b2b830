"""A bar on standard error for work that takes long, where somebody looks at it."""
from __future__ import annotations

import os
import sys
import time
from typing import Iterator, Sequence, TypeVar

_T = TypeVar("_T")
_AFTER_SECONDS = 1.0
_EVERY = 1024
_WIDTH = 30


def watch(items: Sequence[_T], what: str) -> Iterator[_T]:
    """Yields the items, with a bar once that has taken a second. $QUANTGATE_PROGRESS says 1 (always) or 0 (never);
    without it there is a bar where standard error is a terminal or a notebook."""
    if not _is_watched():
        yield from items
        return
    started, drawn = time.monotonic(), False
    for index, item in enumerate(items):
        if index % _EVERY == 0 and time.monotonic() - started >= _AFTER_SECONDS:
            filled = _WIDTH * index // len(items)
            bar = "█" * filled + "░" * (_WIDTH - filled)
            print(f"\r{what} {bar} {index} of {len(items)}", end="", file=sys.stderr, flush=True)
            drawn = True
        yield item
    if drawn:
        # Nothing is left behind.
        print("\r" + " " * (len(what) + _WIDTH + 30) + "\r", end="", file=sys.stderr, flush=True)


def _is_watched() -> bool:
    wish = os.environ.get("QUANTGATE_PROGRESS")
    if wish is not None:
        return wish != "0"
    return bool(sys.stderr and sys.stderr.isatty()) or "ipykernel" in sys.modules
