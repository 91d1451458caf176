"""Edits with shifts: those of sacrebleu's program on random texts, long ones among them."""

from __future__ import annotations

import random

import pytest

from nlgauge.maths import shifts
from nlgauge.maths.shifts import fewest_shifted_edits


def distance(one: str, other: str) -> int:
    """Levenshtein's, as the textbook has it."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(row[-1] + 1, above[j] + 1, above[j - 1] + (letter != wanted)))
    return row[-1]


def alone(candidate: list[str], reference: list[str]) -> int:
    return fewest_shifted_edits([candidate], [reference], distance)[0]


def texts(count: int, seed: int, longest: int) -> list[tuple[list[str], list[str]]]:
    """Pairs of random words; in half of them the reference is the candidate with blocks moved and words changed."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        vocabulary = [str(n) for n in range(draw.choice([2, 5, 20, 60]))]
        one = draw.choices(vocabulary, k=draw.randint(1, longest))
        other = draw.choices(vocabulary, k=draw.randint(1, longest))
        if draw.random() < 0.5:
            other = list(one)
            for _ in range(draw.randint(1, 4)):
                begin, end = sorted(draw.choices(range(len(other) + 1), k=2))
                block, other = other[begin:end], other[:begin] + other[end:]
                at = draw.randint(0, len(other))
                other = [*other[:at], *block, *other[at:]]
            if draw.random() < 0.5:
                other[draw.randrange(len(other))] = "new"
        found.append((one, other))
    return found


@pytest.mark.parametrize(("count", "longest"), [(120, 9), (30, 25), (3, 60), (0, 90)])
def test_the_number_is_that_of_sacrebleu(count: int, longest: int) -> None:
    theirs = pytest.importorskip("sacrebleu.metrics.lib_ter", reason="needs nlgauge[strings]")
    block = [str(n) for n in range(30)]
    far = [(block + ["x"] * 30, ["y"] * 30 + block), (["a"] * 3, ["b"] * 90), (["a"] * 90, ["b"] * 3 + ["a"])]
    for one, other in texts(count, longest, longest) or far:  # whose alignments stray from the diagonal
        assert alone(one, other) == theirs.translation_edit_rate(one, other)[0], (one, other)


def test_the_fewest_of_several_is_that_of_each_alone() -> None:
    pairs = texts(120, 4, 20)
    for (one, other), (third, fourth) in zip(pairs[::2], pairs[1::2], strict=True):
        references = [other, third, fourth]
        candidates = [one, other, [*third, "x"], one]
        wanted = [min(alone(candidate, reference) for reference in references) for candidate in candidates]
        assert fewest_shifted_edits(candidates, references, distance) == wanted
    assert fewest_shifted_edits([["a"], []], [["b", "c"]], distance) == [2, 2]
    assert fewest_shifted_edits([["a"], []], [[]], distance) == [1, 0]


def test_what_is_remembered_of_a_reference_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = texts(30, 9, 20)
    candidates, reference = [one for one, _ in pairs], pairs[0][1]
    wanted = fewest_shifted_edits(candidates, [reference], distance)
    monkeypatch.setattr(shifts, "_REMEMBERED", 2)
    assert fewest_shifted_edits(candidates, [reference], distance) == wanted
