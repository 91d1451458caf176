"""Thresholds that ratings choose: exact tests by scipy, and all scores tried one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import nlgauge
from nlgauge import Corpus, Row, ScoreTable
from nlgauge.answers.calibrate import Calibration
from nlgauge.answers.rated_scores import Bin, Chosen, RatedTask
from nlgauge.data.table import Column
from nlgauge.maths.wording import Band
from nlgauge.ratings.rated import rated_rows
from nlgauge.ratings.sampling import Draw, DrawnRow
from nlgauge.stats.decisions import auroc
from nlgauge.stats.fitting import folds_of
from tests.contracts.second_source.literal import NAN, Raw, Sources, literals, stats

# ---- Thresholds that ratings choose


def tried(r: Raw) -> list[float]:
    """The scores that let a fortieth of the rows pass, two fortieths and so on."""
    ordered = np.sort(r.scores)
    places = [math.floor((len(ordered) - 1) * (1 - k / 40) + 1e-9) for k in range(1, 41)]
    return [one for one in dict.fromkeys(ordered[places].tolist()) if math.isfinite(one)]


def error_of(r: Raw) -> float:
    """What a test of a promise may err: less where a band of wording was chosen."""
    return 0.01 if vars(r).get("bands") else 0.1


def promised(r: Raw, blanks: int | None = None) -> float:
    """The last threshold of the sequence whose risk, or recall, a test bears; blanks: how many are bad."""
    best, begun = NAN, r.by == "recall"
    blanks = int(r.blank.sum()) if blanks is None else blanks
    rows = []
    for one in tried(r):
        through = r.tested & (r.scores >= one)
        bad, of_blank = int((through & r.bad).sum()), min(blanks, int((through & r.blank).sum()))
        rows.append((one, int(through.sum()), bad + of_blank, int((r.bad & r.tested).sum()) + of_blank))
    for hoped in (round(2 / r.risk), 10**9):
        for one, n, bad, every in rows:
            begun = begun or stats.binom.cdf(n // hoped, n, r.risk) <= error_of(r)
            p = stats.binom.cdf(bad, n, r.risk) if r.by == "risk" else stats.binom.cdf(bad, every, 1 - 0.3)
            if begun and p > error_of(r):
                return best
            best = one if begun else best
    return best


def worth_of(r: Raw, scores: np.ndarray, bad: np.ndarray, threshold: float) -> float:
    found, stopped = int((bad & (scores < threshold)).sum()), int((scores < threshold).sum())
    missed = int(bad.sum()) - found
    if r.by == "f1":
        return 2 * found / max(1, stopped + found + missed)
    if r.by == "cost":
        return -(2.0 * missed + stopped - found)
    if r.by == "balanced":
        return found / bad.sum() + ((~bad).sum() - stopped + found) / (~bad).sum()
    return stopped if found >= 0.6 * stopped else -1


def chosen_on(r: Raw, rows: np.ndarray) -> float:
    """The best of all scores of rated rows, the lowest of equals."""
    return max(np.unique(r.scores[rows]).tolist(), key=lambda one: worth_of(r, r.scores[rows], r.bad[rows], one))


@cache
def of_row(r: Raw) -> tuple[float, np.ndarray]:
    """The threshold, and that by which each rated row is counted: without a promise, one of other folds."""
    if r.by in ("risk", "recall"):
        return promised(r), np.full(len(r.scores), promised(r))
    rows, each = np.flatnonzero(r.rated), np.full(len(r.scores), NAN)
    fold = folds_of(r.clusters[rows], 5, 0)
    for number in range(5):
        each[rows[fold == number]] = chosen_on(r, rows[fold != number])
    return chosen_on(r, rows), each


def part_of(some: np.ndarray, of: np.ndarray) -> float:
    return float(some.sum() / of.sum()) if of.any() else NAN


def is_chosen(r: Raw) -> bool:
    return math.isfinite(of_row(r)[0])


def stopped_by(r: Raw) -> np.ndarray:
    return r.rated & ~(r.scores >= of_row(r)[1])


def through_by(r: Raw) -> np.ndarray:
    return r.rated & (r.scores >= of_row(r)[1])


def tipping_of_promise(r: Raw) -> int | None:
    """One blank row more is bad, until no threshold is left."""
    if r.by not in ("risk", "recall") or not math.isnan(promised(r)):
        return None
    return (
        next((n for n in range(1, int(r.blank.sum()) + 1) if math.isnan(promised(r, n))), None)
        if math.isfinite(promised(r, 0))
        else None
    )


def why(r: Raw) -> str:
    """Why no threshold keeps a promise of risk."""
    said = f"no threshold can be certified at a risk of {r.risk:g} with confidence {1 - error_of(r):g}: "
    if (tipped := tipping_of_promise(r)) is not None:
        blanks = f"{tipped} of the {r.blank.sum()} blank rows that are tested"
        return f"{said}none holds if {blanks} are bad, at worst; rate them too"
    first = next(
        one
        for one in tried(r)
        if stats.binom.cdf((n := (r.tested & (r.scores >= one)).sum()) // round(2 / r.risk), n, r.risk) <= error_of(r)
    )
    through = r.tested & (r.scores >= first)
    said += (
        f"{(through & r.bad).sum()} of the {through.sum()} rated rows with the best scores are bad; rate more, allow"
    )
    return f"{said} a larger risk, or take a metric that tells them better apart"


CHOSEN: Sources = {
    "by": lambda r: r.by,
    "threshold": lambda r: r.sign * of_row(r)[0],
    "passing": lambda r: float((r.scores >= of_row(r)[0]).mean()) if is_chosen(r) else NAN,
    "bad": lambda r: part_of(r.bad & through_by(r), through_by(r)) if is_chosen(r) else NAN,
    "precision": lambda r: part_of(r.bad & stopped_by(r), stopped_by(r)) if is_chosen(r) else NAN,
    "recall": lambda r: part_of(r.bad & stopped_by(r), r.bad) if is_chosen(r) else NAN,
    "honest": lambda r: r.by not in ("risk", "recall"),
    "reason": lambda r: None if is_chosen(r) else why(r),
    "tipping": tipping_of_promise,
}


def fifths(r: Raw) -> list[np.ndarray]:
    rows = np.flatnonzero(r.rated)
    rows = rows[np.argsort(r.sign * r.scores[rows], kind="stable")]
    values = r.scores[rows]
    if len(set(values.tolist())) > 5:
        return np.array_split(rows, 5)
    return [rows[values == one] for one in dict.fromkeys(values.tolist())]


def own_scores(r: Raw) -> np.ndarray:
    some = r.sign * r.scores[fifths(r)[r.fifth]]
    return some[np.isfinite(some)]


def good_ones(r: Raw) -> tuple[int, int]:
    some = fifths(r)[r.fifth]
    return int((~r.bad[some]).sum()), len(some)


def exact(k: int, n: int, tail: float) -> float:
    """Clopper and Pearson by the beta distribution."""
    if tail < 0.5:
        return float(stats.beta.ppf(tail, k, n - k + 1)) if k else 0.0
    return float(stats.beta.ppf(tail, k + 1, n - k)) if k < n else 1.0


BIN: Sources = {
    "low": lambda r: own_scores(r).min(),
    "high": lambda r: own_scores(r).max(),
    "mean": lambda r: own_scores(r).mean(),
    "n": lambda r: good_ones(r)[1],
    "good": lambda r: (good_ones(r)[0] / good_ones(r)[1], exact(*good_ones(r), 0.025), exact(*good_ones(r), 0.975)),
}


def each_way(r: Raw) -> list[Raw]:
    return [Raw(**{**vars(r), "by": by}) for by in ("risk", "recall", "f1", "cost", "precision")]


RATED_THRESHOLD: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "direction": lambda r: "at_least" if r.sign > 0 else "at_most",
    "threshold": lambda r: r.sign * of_row(r)[0],
    "by": lambda r: r.by,
    "risk": lambda r: r.risk if r.by == "risk" else None,
    "confidence": lambda r: 0.9 if r.by in ("risk", "recall") else None,
    "n": lambda r: int(r.rated.sum()),
    "passing": CHOSEN["passing"],
    "aspect": lambda r: "good",
    "below": lambda r: 1.0,
    "signature": lambda r: "M",
    "facts": lambda r: {},
    "scores": lambda r: tuple((r.sign * r.scores[r.rated & np.isfinite(r.scores)]).tolist()),
    "recall": lambda r: 0.3 if r.by == "recall" else None,
    "bands": lambda r: r.bands,
}
CALIBRATION: Sources = {
    "metric": lambda r: "M",
    "aspect": lambda r: "good",
    "n": lambda r: int(r.rated.sum()),
    "clusters": lambda r: len(set(r.clusters[r.rated].tolist())),
    "bad": lambda r: int(r.bad.sum()),
    "blank": lambda r: int(r.blank.sum()),
    "chosen": lambda r: tuple(literals(CHOSEN, one) for one in each_way(r)),
    "reliability": lambda r: tuple(
        literals(BIN, Raw(**{**vars(r), "fifth": fifth})) for fifth in range(len(fifths(r)))
    ),
    "notes": lambda r: r.notes,
    "thresholds": lambda r: tuple(literals(RATED_THRESHOLD, one) for one in each_way(r) if is_chosen(one)),
    "agreement": lambda r: (),
}


def band_of(scores: np.ndarray, bad: np.ndarray, wording: np.ndarray) -> Band:
    """The widest band of rated rows in which a good row is above a bad one in under 65 of 100 pairs."""
    for end in (0.8, 0.65, 0.5, 0.35, 0.2):
        of = wording < end
        pairs = [(good > wrong) + (good == wrong) / 2 for good in scores[of & ~bad] for wrong in scores[of & bad]]
        if min((of & bad).sum(), (of & ~bad).sum()) >= 15 and np.mean(pairs) < 0.65:
            return Band(0.0, end, float(np.mean(pairs)), auroc(scores[of], bad[of], np.arange(of.sum())).low)
    raise AssertionError("no band is unread")


@cache
def calibrated() -> list[tuple[str, Calibration, Raw]]:
    made = []
    for name, rows, systems, spread, sign, blanks in (
        ("plain", 240, 1, 1.4, 1, 0),
        ("two systems, some rows without a score", 240, 2, 1.4, 1, 0),
        ("lower is better, few scores", 240, 1, 1.4, -1, 0),
        ("nothing to certify", 240, 1, 0.1, 1, 0),
        ("blank rows", 240, 1, 1.6, 1, 25),
        ("answers in other words", 720, 1, 1.6, 1, 0),
    ):
        rng = np.random.default_rng(11)
        wrong = rng.random(rows) < 0.3
        scores = rng.normal(size=rows) - 2 * spread * wrong
        scores = np.round(scores.clip(-2, 1)) if "few" in name else scores
        scores[:8] = -math.inf if "without" in name else scores[:8]
        other = np.arange(rows) % 2 == 0 if "words" in name else np.zeros(rows, bool)
        scores[other] = rng.normal(size=other.sum())
        rated, clusters = rng.permutation(rows) < rows * 7 // 12, np.arange(rows) // systems
        keys = [(f"s{row % systems}", f"i{row // systems:03d}") for row in range(rows)]
        sheet = np.flatnonzero(rated)
        blank = np.isin(np.arange(rows), sheet[:blanks])
        rated &= ~blank
        values = np.where(np.isfinite(scores), sign * scores, NAN)
        table = ScoreTable(keys, {"M": Column(("score",), values[:, None], higher_is_better=sign > 0)}, {})
        draw = None
        given = {key: float(not wrong[row]) for row, key in enumerate(keys) if rated[row]}
        if blanks:
            names = {int(row): f"r{place:03d}" for place, row in enumerate(sheet)}
            draw = Draw(tuple(DrawnRow(*key, 140 / 240, 0, None, names.get(row)) for row, key in enumerate(keys)))
            given = {("sheet", names[row]): float(not wrong[row]) for row in np.flatnonzero(rated).tolist()}
        asked: dict[str, Any] = {"risk": 0.15, "recall": 0.3, "cost": 2.0, "precision": 0.6, "draw": draw, "below": 1}
        if other.any():
            texts = [
                Row("other words" if apart else "plain", system=one[0], item=one[1], source="plain")
                for one, apart in zip(keys, other.tolist(), strict=True)
            ]
            asked |= {"bands": True, "outputs": Corpus(tuple(texts))}
        found = nlgauge.calibrate(table, {"good": given}, **asked)
        of = rated_rows(table, {"good": given}, None, draw=draw)
        task = RatedTask.of(of, "good", scores, 1.0, np.ones(rows, bool), 0)
        tested = task.rows.independent(task.rng)[0].tested  # one row of each cluster, as drawn
        assert tested.sum() == len(set(clusters[rated | blank].tolist()))
        notes = ()
        if systems > 1:
            apart = "rows of an item or a cluster are not independent, so the tests take one of each at random"
            notes = (f"{tested.sum()} of {rated.sum()} ratings are tested: {apart}",)
        if blanks:
            drawn = "good: 25 of 140 rows that were drawn are not rated; blank, because raters passed them by: 25"
            bad = "25 blank rows, which raters passed by, count as bad; all else is of rated rows"
            bad = f"in the tests of a promise {bad}"
            notes = (drawn, bad)
        bands = None
        if other.any():
            band = band_of(scores[rated], wrong[rated], np.where(other, 0.0, 1.0)[rated])
            of_all = f"{(other & rated).sum()} of the {rated.sum()} rated rows, whose area is {band.area:.2f}"
            bands, left = (
                (band,),
                f"not judged are answers of which under {band.end:.0%} of the longer words stand in the",
            )
            notes = (f"{left} source: {of_all}",)
        raw = Raw(
            scores=scores[~other],
            rated=rated[~other],
            bad=(wrong & rated)[~other],
            blank=blank[~other],
            clusters=clusters[~other],
            tested=tested[~other],
            sign=sign,
            risk=0.15,
            bands=bands,
            notes=notes,
            by="",
        )
        made.append((name, found, raw))
    return made


def chosen() -> Iterator[tuple[str, Chosen, Raw]]:
    for name, found, raw in calibrated():
        for one, way in zip(found.chosen, each_way(raw), strict=True):
            yield f"{name}, {one.by}", one, way


def bins() -> Iterator[tuple[str, Bin, Raw]]:
    for name, found, raw in calibrated():
        for fifth, one in enumerate(found.reliability):
            yield f"{name}, {fifth}", one, Raw(**{**vars(raw), "fifth": fifth})
