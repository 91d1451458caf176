"""Changes to bytes, as data: what disks, copies and people do to a file, and what somebody does on purpose."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

PLACES = 10_000
"""A place in some bytes is a share of their length in so many parts, so that it is one in bytes of any length"""
_PIECES = [
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r", b"\r\n\r\n", b'"', b",", b"\t", b"{", b"}", b"[]"),
    *(
        b"null",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b'"\\ud800"',
        b'"\\u0000"',
        b"\xed\xa0\x80",
        b"=1+1",
        b"9" * 5000,
        b"[" * 200,
    ),
]


def mutations() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Up to four changes."""
    place = st.integers(0, PLACES)
    piece = st.one_of(st.sampled_from(_PIECES), st.binary(max_size=8))
    change = st.one_of(
        st.tuples(st.just("cut"), place),
        st.tuples(st.just("flip"), place, st.integers(0, 7)),
        st.tuples(st.just("insert"), place, piece),
        st.tuples(st.just("write"), place, piece),
        st.tuples(st.just("remove"), place, st.integers(1, 40)),
        st.tuples(st.just("copy"), place, place, st.integers(1, 400)),
        st.tuples(st.just("repeat"), place, st.integers(1, 40), st.sampled_from([2, 70, 3000])),
    )
    return st.lists(change, max_size=4)


def some_mutations(chance: Random) -> list[tuple[Any, ...]]:
    """One or two changes, by chance alone."""

    def place() -> int:
        return chance.randint(0, PLACES)

    makers: list[Callable[[], tuple[Any, ...]]] = [
        lambda: ("cut", place()),
        lambda: ("flip", place(), chance.randrange(8)),
        lambda: ("insert", place(), chance.choice(_PIECES)),
        lambda: ("write", place(), chance.choice(_PIECES)),
        lambda: ("remove", place(), chance.randint(1, 40)),
        lambda: ("copy", place(), place(), chance.randint(1, 400)),
        lambda: ("repeat", place(), chance.randint(1, 40), chance.choice([2, 70])),
    ]
    return [chance.choice(makers)() for _ in range(chance.randint(1, 2))]


def mutated(data: bytes, changes: list[tuple[Any, ...]]) -> bytes:
    """Bytes after some changes, one after another."""
    for name, *how in changes:
        at = how[0] * len(data) // PLACES
        before, after = data[:at], data[at:]
        if name == "cut":
            data = before
        elif name == "flip":
            data = before + bytes([after[0] ^ 1 << how[1]]) + after[1:] if after else before
        elif name == "insert":
            data = before + how[1] + after
        elif name == "write":
            data = before + how[1] + after[len(how[1]) :]
        elif name == "remove":
            data = before + after[how[1] :]
        elif name == "copy":
            source = how[1] * len(data) // PLACES
            data = before + data[source : source + how[2]] + after
        else:
            data = before + after[: how[1]] * how[2] + after
    return data
