"""Protobuf's wire format, as far as messages are put together from pieces that are serialized already. In a graph most
pieces repeat, and setting the fields of 10,000 messages takes Python several times as long."""
from __future__ import annotations

from typing import Dict, List

_LOW = [bytes((number,)) for number in range(128)]
_LOW_OF_MORE = [bytes((number | 128,)) for number in range(128)]


def varints(end: int) -> List[bytes]:
    """The numbers 0, 1, … to `end` at least, by number."""
    made = list(_LOW)
    for high in range(1, end // 128 + 1):
        made += [low + made[high] for low in _LOW_OF_MORE]
    return made


def varint(number: int) -> bytes:
    """One number >= 0."""
    high = number >> 7
    return _LOW[number] if not high else _LOW_OF_MORE[number & 127] + varint(high)


def tag(field: int) -> bytes:
    """What stands before a number, also one of many."""
    return varint(field << 3)


class Heads(Dict[int, bytes]):
    """What stands before text, a message or packed numbers of a field, by their length in bytes."""

    def __init__(self, field: int) -> None:
        super().__init__()
        self.field = field
        self._tag = varint(field << 3 | 2)

    def __missing__(self, length: int) -> bytes:
        made = self._tag + varint(length)
        if length < 1 << 14:
            self[length] = made
        return made
