"""Values of summed counts, by hand and against sacrebleu's own formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.maths.totals import total


def of(name: str, counts: list[float], **settings: Any) -> float:
    return float(total({"name": name, **settings}, np.array(counts, np.float64))[0])


def test_worked_by_hand() -> None:
    assert of("rate", [3, 12]) == 25
    assert of("rate", [2, 0]) == 100
    assert of("rate", [0, 0]) == 0

    assert of("sari", [1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4] * 3) == pytest.approx(100 / 3)
    assert math.isnan(of("rate", [math.nan, math.nan]))
    with pytest.raises(KeyError):
        of("meteor", [1])


@st.composite
def bleu_counts(draw: Any) -> list[int]:
    ours, theirs = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    ngrams = [max(0, ours - n) for n in range(4)]
    matches = [draw(st.integers(0, n)) for n in ngrams]
    return [ours, theirs, *matches, *ngrams]


@given(bleu_counts(), st.sampled_from(["exp", "floor", "add-k", "none"]), st.booleans())
def test_bleu_is_sacrebleus(counts: list[int], smooth: str, effective: bool) -> None:
    theirs = pytest.importorskip("sacrebleu.metrics", reason="needs nlgauge[strings]").BLEU
    constant = theirs.SMOOTH_DEFAULTS[smooth]
    wanted = theirs.compute_bleu(
        counts[2:6], counts[6:], counts[0], counts[1], smooth_method=smooth, effective_order=effective
    ).score
    got = of("bleu", list(map(float, counts)), smooth=smooth, constant=constant or 0.0, effective=effective)
    assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6), st.integers(1, 3))
def test_chrf_is_sacrebleus(sides: list[tuple[int, int]], beta: int) -> None:
    theirs = pytest.importorskip("sacrebleu.metrics", reason="needs nlgauge[strings]").CHRF
    counts = [count for ours, other in sides for count in (ours, other, min(ours, other))]
    wanted = theirs(char_order=len(sides), beta=beta)._compute_f_score(counts)
    assert of("chrf", list(map(float, counts)), beta=beta) == pytest.approx(wanted, rel=1e-9)
