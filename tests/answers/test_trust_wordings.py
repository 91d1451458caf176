"""How well a scorer tells good from bad answers by their wording: what is counted, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, Row, ScoreTable
from nlgauge.answers.wordings import WordingBand, bands, wording_of
from nlgauge.data.jsonable import jsonable
from nlgauge.data.table import Column
from nlgauge.maths.inference import Measured

WORDS = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}{'aeiou'[n % 5]}zzz" for n in range(200)]


def made(shares: Sequence[float], good: Sequence[bool], scores: Sequence[float], source: bool = True) -> nlgauge.Trusts:
    """Return what trust says of a judge of answers of ten words, of which the source has a share."""
    rows = [
        Row(
            " ".join(WORDS[: round(10 * share)] + WORDS[100 : 110 - round(10 * share)]),
            source=" ".join(WORDS[:20]) if source else None,
            system="s",
            item=f"i{n}",
            scores={"right": float(right)},
        )
        for n, (share, right) in enumerate(zip(shares, good, strict=True))
    ]
    keys = [("s", f"i{n}") for n in range(len(rows))]
    table = ScoreTable(keys, {"judge": Column(("score",), np.array(scores, float)[:, None])}, {})
    return nlgauge.trust(table, Corpus(rows), metrics=["judge"])


def planted(each: int = 20) -> tuple[list[float], list[bool], list[float]]:
    """Return answers of which a judge knows those in the words of the source, and says anything of the others."""
    rng = np.random.default_rng(3)
    shares = [0.1] * (2 * each) + [0.9] * (2 * each)
    good = ([True] * each + [False] * each) * 2
    scores = [
        rng.random() if share < 0.5 else 2 * right + rng.random() for share, right in zip(shares, good, strict=True)
    ]
    return shares, good, scores


def test_it_says_of_which_wording_a_scorer_is_not_shown_to_tell_good_from_bad() -> None:
    found = made(*planted())
    low, high = found[0].bands
    assert (low.begin, low.end, low.good, low.bad) == (0.0, 0.2, 20, 20) and low.unread and low.auroc.low < 0.5
    assert (high.begin, high.end, high.good, high.bad) == (0.8, 1.0, 20, 20)
    assert not high.unread and high.auroc.value == 1.0
    assert (
        "where the source has under 20% of an answer's longer words, it is not shown to tell good answers from bad ones"
        in found.answers[0]
    )
    (note,) = [note for note in found.to_answer().notes + found.legend if "longer words" in note]
    assert "under 20%: " in note and "80% and more: 1.00 (95 % interval" in note and "20 good, 20 bad" in note
    (record, *_) = jsonable(list(found))
    assert record["bands"][1] == {
        "begin": 0.8, "end": 1.0, "good": 20, "bad": 20, "auroc": 1.0, "auroc_low": high.auroc.low, "auroc_high": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize("why", ["too few good rows", "no sources", "a scale"])
def test_nothing_is_said_without_enough_rows_sources_or_good_and_bad(why: str) -> None:
    shares, good, scores = planted(14 if "few" in why else 20)
    if why == "a scale":
        scale = [3.0 * right + n % 3 for n, right in enumerate(good)]
        found = made(shares, scale, scores)  # type: ignore[arg-type]
    else:
        found = made(shares, good, scores, source=why != "no sources")
    assert found[0].bands == () and "longer words" not in found.answers[0]


def test_each_share_is_in_one_band_and_answers_without_one_in_none() -> None:
    wording = np.repeat([0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0, math.nan], 30)
    bad = np.tile([True, False], 120)
    found = bands(np.arange(240.0), bad, np.arange(240), wording)
    assert [(band.begin, band.end, band.good + band.bad) for band in found] == [
        (0.0, 0.2, 30), (0.2, 0.35, 30), (0.35, 0.5, 30), (0.5, 0.65, 30), (0.65, 0.8, 30), (0.8, 1.0, 60),
    ]  # fmt: skip
    assert all(band.auroc.low <= band.auroc.value <= band.auroc.high for band in found)
    assert [band.shares for band in found][::5] == ["under 20%", "80% and more"] and found[1].shares == "20% to 35%"


def test_a_limit_that_is_not_known_shows_nothing() -> None:
    band = WordingBand(begin=0.0, end=0.2, good=15, bad=15, auroc=Measured(0.9))
    assert band.unread


def test_several_outputs_of_a_system_and_item_count_by_their_mean() -> None:
    rows = [Row(text, source="measured", system="s", item="i") for text in ("measuring", "something")]
    table = ScoreTable(
        [("s", "i"), ("s", "j")], {"judge": Column(("score",), np.ones((2, 1)))}, {}, {"repeats": "mean"}
    )
    share, absent = wording_of(table, Corpus(rows))
    assert share == 0.5 and math.isnan(absent)
