"""How far to trust a scorer: shares, areas, calibration, raters, anchors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import numpy as np

import nlgauge
from nlgauge import Corpus, Row, ScoreTable
from nlgauge.answers.rated_scores import RatedTask
from nlgauge.answers.trust.numbers import Trust
from nlgauge.answers.wordings import WordingBand
from nlgauge.data.table import Column
from nlgauge.ratings.rated import rated_rows
from nlgauge.stats.fitting import cross_fitted
from tests.contracts.second_source.agreement import agreement_ends, at_level, gain, gain_p, tables
from tests.contracts.second_source.estimates import Ratings, taken, worth, worth_ends
from tests.contracts.second_source.literal import (
    NAN,
    Nearer,
    Raw,
    Sources,
    holm_of,
    kish,
    literals,
    none,
    nothing,
    stats,
    total_laws,
)
from tests.contracts.second_source.thresholds import BIN, CHOSEN, fifths, is_chosen, of_row, promised, why
from tests.maths.test_inference import GAIN, UNLIMITED, YES_NO, Given, laws, literal, literal_p
from tests.stats.test_decisions import counted
from tests.stats.test_interrater import literal_kappa

# ---- How far to trust a scorer


def yes_no(source: Callable[[Raw], Any], otherwise: Any = NAN) -> Callable[[Raw], Any]:
    """The number of ratings of yes and no, and what stands there for a scale."""
    return lambda r: otherwise if r.scale else source(r)


NOTHING = (NAN, NAN, NAN)


def passes(r: Raw) -> np.ndarray:
    """By the threshold itself."""
    return r.scores >= of_rule(r)


def of_rule(r: Raw) -> float:
    return of_row(r.chooses)[0] if r.own is None else r.own


def decided(r: Raw) -> np.ndarray:
    """By the threshold, or by that of other rows where the ratings chose it."""
    return r.scores >= (of_row(r.chooses)[1] if r.own is None else r.own)


def share(r: Raw, hits: np.ndarray, fitted: np.ndarray, of: np.ndarray) -> tuple[float, float, float]:
    """A share of the rows `of`: Student's t, or for all thresholds at once (Massart's inequality)."""
    hits, fitted, clusters = hits[of].astype(float), fitted[of].astype(float), r.clusters[of]
    if r.own is not None:
        return fitted.mean(), *literal(Given(fitted, YES_NO, clusters, ends=True), 0.95)
    names, n, own = sorted(set(clusters.tolist())), float(of.sum()), hits.mean()
    if len(names) < n:
        left = [hits[clusters != one].mean() for one in names]
        square = (len(names) - 1) / len(names) * sum((one - own) ** 2 for one in left)
        n = min(n, own * (1 - own) / square) if 0 < own < 1 else kish(clusters)
    half, value = math.sqrt(math.log(2 / 0.05) / (2 * n)), fitted.mean()
    return value, max(0.0, min(value, own - half)), min(1.0, max(value, own + half))


def good(r: Raw) -> np.ndarray:
    return r.rated & ~r.bad


MARGIN = 0.1


def needed(r: Raw, hits: np.ndarray, of: np.ndarray) -> float:
    """The first number of rows whose interval is short enough: Wilson's, or for all thresholds Massart's."""
    hits, clusters = hits[of], r.clusters[of]
    n, own, names = len(hits), hits.mean(), sorted(set(clusters.tolist()))
    each = 1.0
    if len(names) < n:
        left = [hits[clusters != one].mean() for one in names]
        square = (len(names) - 1) / len(names) * sum((one - own) ** 2 for one in left)
        each = n / (min(n, own * (1 - own) / square) if 0 < own < 1 else kish(clusters))
    if r.own is None:
        return float(math.ceil(each * math.log(2 / 0.05) / (2 * MARGIN**2)))
    z, p, rows = stats.norm.ppf(0.975), (hits.sum() + 2) / (n + 4), 1
    while True:
        m = rows / each
        ends = [(p + z * z / (2 * m) + sign * z * math.sqrt(p * (1 - p) / m + (z / (2 * m)) ** 2)) for sign in (-1, 1)]
        low, high = (min(1.0, max(0.0, end / (1 + z * z / m))) for end in ends)
        if (high - low) / 2 <= MARGIN:
            return rows
        rows += 1


def needed_bad(r: Raw) -> float:
    return needed(r, ~passes(r), r.bad)


def needed_good(r: Raw) -> float:
    return needed(r, passes(r), good(r))


def area(r: Raw) -> tuple[float, float, float]:
    scores, bad, of = r.scores[r.rated], r.bad[r.rated], r.clusters[r.rated]
    names, value = sorted(set(of.tolist())), counted(scores, bad)
    square = sum((counted(scores[of != one], bad[of != one]) - value) ** 2 for one in names)
    rarer = min(kish(of[bad]), kish(of[~bad]))
    n = min(3 * rarer, value * (1 - value) / (square * (len(names) - 1) / len(names)))
    z2 = stats.t.ppf(0.975, max(1.0, rarer - 1)) ** 2 / n
    low, high = sorted(np.roots([1 + z2, -2 * value - z2, value**2]).real.tolist())
    return value, low, high


EDGES = (0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)


def of_bands(r: Raw) -> list[Raw]:
    """The rows of each band of wording with fifteen good and fifteen bad rated rows."""
    made = []
    for begin, end in [] if r.wording is None or r.scale else pairwise(EDGES):
        inside = np.array([begin <= share < end or share == end == 1.0 for share in r.wording.tolist()])
        some = Raw(**{**vars(r), "rated": r.rated & inside, "bad": r.bad & inside, "begin": begin, "end": end})
        if min(good(some).sum(), some.bad.sum()) >= 15:
            made.append(some)
    return made


WORDING_BAND: Sources = {
    "begin": lambda r: r.begin,
    "end": lambda r: r.end,
    "good": lambda r: int(good(r).sum()),
    "bad": lambda r: int(r.bad.sum()),
    "auroc": area,
}


def probability(r: Raw) -> np.ndarray | None:
    return (r.scores if r.sign > 0 else 1 + r.scores) if r.probable else None


def calibration(r: Raw) -> Any:
    if (p := probability(r)) is None:
        return NOTHING
    weights, gaps, errors = [], [], []
    for some in fifths(r):
        away, n = (~r.bad[some]) - p[some], len(some)
        part = ((~r.bad[some]).sum() + 2) / (n + 4)
        weights.append(n / r.rated.sum())
        gaps.append(abs(away.mean()))
        errors.append(max(away.std(ddof=1) / math.sqrt(n), math.sqrt(part * (1 - part) / n)))
    value, normal = float(np.dot(weights, gaps)), np.abs(np.random.default_rng(3).normal(size=(4000, len(gaps))))
    most = np.quantile(normal @ (np.array(weights) * errors), 0.95)
    return value, Nearer(max(0.0, value - most)), Nearer(min(1.0, value + most))


def on_a_scale(name: str) -> Callable[[Raw], float]:
    return lambda r: at_level(Raw(**{**vars(r.pairs), "coefficient": name}), *tables(r.pairs)) if r.scale else NAN


def pearson(r: Raw) -> tuple[float, float, float]:
    return (at_level(r.pairs, *tables(r.pairs)), *agreement_ends(r.pairs, 0.95)) if r.scale else NOTHING


def of_gaps(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson of the differences between every two outputs for one item."""
    gaps = [(a[i] - a[j], b[i] - b[j]) for a, b in zip(x, y, strict=True) for i, j in permutations(range(len(a)), 2)]
    return float(np.corrcoef(*zip(*gaps, strict=True))[0, 1])


def pdp(r: Raw) -> tuple[float, float, float]:
    if not r.scale:
        return NOTHING
    x, y = tables(r.pairs)
    made = total_laws(np.eye(len(x)), lambda c: math.atanh(of_gaps(x[c > 0.5], y[c > 0.5])), UNLIMITED, None)
    ends = [math.tanh(end) for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
    return of_gaps(x, y), min(ends), max(ends)


def saved(r: Raw) -> tuple[float, float, float]:
    return (worth(r.means), *worth_ends(r.means)) if not r.means.rated.all() else (worth(r.means), NAN, NAN)


def not_beaten(r: Raw) -> tuple[str, ...]:
    """Length, unless the scorer agrees better and scores exchanged at random seldom differ so."""
    if r.length is None:
        return ()
    y = np.where(r.bad, 0.0, 1.0)[r.rated][:, None]
    one, other = (a[r.rated][:, None] for a in (r.scores, r.length))
    if not np.ptp(other):  # which agrees with nothing
        return ()
    other = other * np.sign(np.corrcoef(other[:, 0], y[:, 0])[0, 1])
    of = Raw(by={"M": one, "L": other}, y=y, level="pooled", coefficient="pearson", clusters=None, williams=False)
    return () if gain(of, "M", "L") > 0 and gain_p(of, "M", "L") < 0.05 else ("Length",)


def wins(r: Raw) -> int | None:
    """Raters that the scorer, by ratings that it predicts, is as near to the others as, up to a fifth of the rows."""
    if r.raters is None:
        return None
    mean, p = r.raters.mean(0), []
    predicted = cross_fitted(r.scores[:, None], mean, r.clusters, "nnls", 5, 0).predicted >= 0.5
    for own in range(len(r.raters)):
        others = np.delete(r.raters, own, axis=0)
        metric, person = (-np.sqrt(((one - others) ** 2).mean(0)) for one in (predicted, r.raters[own]))
        gains = [*((metric >= person) * 1 - (person >= metric)), -1, 1]
        p.append(stats.ttest_1samp(gains, -0.2, alternative="greater").pvalue)
    return int((stats.false_discovery_control(p, method="by") <= 0.05).sum())


def shifts(r: Raw) -> dict[str, Given]:
    """How the anchors' scores moved, and whether they are decided as people decide more often."""
    there = r.before is not None
    if not there:
        return {}
    made = {"moved": Given(r.sign * (r.scores - r.before), GAIN, r.clusters, 1.0)}
    own, right = r.rated, [(a >= r.frozen) == ~r.bad for a in (r.scores, r.before)]
    made["righter"] = Given((right[0].astype(float) - right[1])[own], GAIN, r.clusters[own])
    return made


def shift(name: str) -> Callable[[Raw], Any]:
    return lambda r: (shifts(r)[name].values.mean(), *literal(shifts(r)[name], 0.95)) if shifts(r) else NOTHING


def shift_p(name: str) -> Callable[[Raw], float]:
    def p(r: Raw) -> float:
        every = [literal_p(one.values.mean(), laws(one)) for one in shifts(r).values()]
        return holm_of(every, list(shifts(r)).index(name)) if every else NAN

    return p


def turning(r: Raw) -> tuple[float, float, float]:
    """The share of the scores of a row that does not decide as most of them."""
    if r.again is None:
        return NOTHING
    votes = (r.again >= r.own).sum(0)
    away = np.minimum(votes, len(r.again) - votes) / len(r.again)
    return away.mean(), *literal(Given(away, YES_NO, r.clusters, ends=True), 0.95)


TRUST: Sources = {
    "metric": lambda r: "judge",
    "aspect": lambda r: "right",
    "rated": lambda r: int(r.rated.sum()),
    "rows": lambda r: len(r.scores),
    "unscored": lambda r: 0,
    "bad": yes_no(lambda r: int(r.bad.sum()), None),
    "single": nothing,
    "threshold": yes_no(lambda r: r.sign * of_rule(r)),
    "second_threshold": nothing,
    "threshold_from": yes_no(
        lambda r: "given" if r.given else "chosen on these ratings" if r.own is None else "its own", ""
    ),
    "tpr": yes_no(lambda r: share(r, ~passes(r), ~decided(r), r.bad), NOTHING),
    "tnr": yes_no(lambda r: share(r, passes(r), decided(r), good(r)), NOTHING),
    "needed_bad": yes_no(needed_bad),
    "needed_good": yes_no(needed_good),
    "needed_rows": yes_no(
        lambda r: math.ceil(
            max(needed_bad(r) * r.rated.sum() / r.bad.sum(), needed_good(r) * r.rated.sum() / good(r).sum())
        )
    ),
    "kappa": yes_no(
        lambda r: literal_kappa(
            [(float(a), float(not b), 1.0) for a, b in zip(decided(r)[r.rated], r.bad[r.rated], strict=True)], False
        )
    ),
    "auroc": yes_no(area, NOTHING),
    "bands": lambda r: tuple(literals(WORDING_BAND, one) for one in of_bands(r)),
    "brier": lambda r: NAN if probability(r) is None else ((probability(r) - ~r.bad)[r.rated] ** 2).mean(),
    "ece": calibration,
    "pearson": pearson,
    "spearman": on_a_scale("spearman"),
    "kendall": on_a_scale("kendall"),
    "pdp": pdp,
    "effective": saved,
    "mean": lambda r: taken(r.means),
    "certified": yes_no(lambda r: r.sign * promised(r.promise)),
    "certified_passing": yes_no(lambda r: CHOSEN["passing"](r.promise)),
    "certified_at_once": lambda r: 0 if r.scale else 1,
    "not_certified": yes_no(lambda r: None if is_chosen(r.promise) else why(r.promise), None),
    "blank": lambda r: 0,
    "tipping": none,
    "sentinels": lambda r: () if r.length is None else ("Length",) if r.wording is None else ("Length", "CopyRate"),
    "unbeaten": not_beaten,
    "stand_in": lambda r: None if r.raters is None else 2 * wins(r) >= len(r.raters),
    "won": lambda r: "" if r.raters is None else f"{wins(r)} of {len(r.raters)}",
    "repeated": lambda r: 0 if r.again is None else len(r.scores),
    "flips": turning,
    "injected": lambda r: 0 if r.injected is None else int((r.bad & ~passes(r)).sum()),
    "obeyed": lambda r: (
        NOTHING if r.injected is None else share(r, *[r.injected >= of_rule(r)] * 2, r.bad & ~passes(r))
    ),
    "anchors": lambda r: 0 if r.before is None else len(r.before),
    "moved": shift("moved"),
    "moved_p": shift_p("moved"),
    "frozen": lambda r: NAN if r.before is None else r.sign * r.frozen,
    "changed": lambda r: (
        NOTHING
        if r.before is None
        else share(r, *[(r.scores >= r.frozen) != (r.before >= r.frozen)] * 2, np.ones(len(r.scores), bool))
    ),
    "righter": shift("righter"),
    "righter_p": shift_p("righter"),
    "reason": none,
    "reliability": yes_no(
        lambda r: tuple(literals(BIN, Raw(**{**vars(r), "fifth": n})) for n in range(len(fifths(r)))), ()
    ),
}


def trusts() -> Iterator[tuple[str, Trust, Raw]]:
    n, plain = 160, np.zeros(160, int)
    for name in (
        "a verdict",
        "a probability of which less is better",
        "two systems",
        "raters",
        "asked again",
        "a scale",
    ):
        rng = np.random.default_rng(12)
        systems, sign = 2 if name in ("two systems", "a scale") else 1, -1 if "less" in name else 1
        clusters, keys = np.arange(n) // systems, [(f"s{row % systems}", f"i{row // systems}") for row in range(n)]
        wrong, rated = rng.random(n) < 0.35, rng.permutation(n) < 90
        scores = np.where(wrong, rng.random(n) > 0.85, rng.random(n) < 0.8).astype(float)
        more: dict[str, Any] = dict.fromkeys(
            ("before", "raters", "again", "length", "frozen", "pairs", "chooses", "given", "injected", "wording")
        )
        how: dict[str, Any] = {}
        own: float | None = 1.0
        if name in ("a probability of which less is better", "two systems"):
            scores, own = np.clip(0.6 + 0.25 * rng.normal(size=n) - 0.4 * wrong, 0, 1), None
            scores = scores - 1 if sign < 0 else 3 * scores
        values = sign * scores
        given = {"right": {key: float(not wrong[row]) for row, key in enumerate(keys) if rated[row]}}
        if name == "a scale":
            y = np.clip(np.round(3 - 2 * wrong + rng.normal(size=n)), 1, 5)
            scores = values = y + rng.normal(size=n)
            given, rated = {"right": dict(zip(keys, y.tolist(), strict=True))}, np.ones(n, bool)
            more["pairs"] = Raw(
                x=scores.reshape(-1, 2),
                y=y.reshape(-1, 2),
                level="pooled",
                coefficient="pearson",
                clusters=None,
                turned=False,
                replicates=0,
            )
        means = Ratings(
            systems=("all",),
            y=[np.where(rated, wrong, NAN)],
            x=[scores],
            clusters=clusters if systems > 1 else None,
            strata=plain,
            margin=None,
        )
        if name == "a scale":
            means.y, means.ends = [y], False
        table = ScoreTable(keys, {"judge": Column(("score",), values[:, None], higher_is_better=sign > 0)}, {})
        source: Any = given
        if name == "a verdict":
            more["length"] = rng.integers(1, 9, n).astype(float)
            lengths = more["length"].astype(int)
            # Half of the answers begin as a word of their source does; none has a word of it, so that none is copied.
            more["wording"] = (np.arange(n) % 2).astype(float)
            source = Corpus(
                [
                    Row(
                        "measuring " * length,
                        source="measured" if share else "something",
                        system=key[0],
                        item=key[1],
                        scores={"right": given["right"][key]} if key in given["right"] else {},
                    )
                    for key, length, share in zip(keys, lengths.tolist(), more["wording"].tolist(), strict=True)
                ]
            )
            more["before"], more["frozen"] = np.where(rng.random(n) < 0.12, 1 - scores, scores), 0.5
            before = replace(table, columns={"judge": Column(("score",), more["before"][:, None])})
            more["injected"] = np.where(rng.random(n) < 0.3, 1.0, scores)
            injected = replace(table, columns={"judge": Column(("score",), more["injected"][:, None])})
            how = {"before": before, "outputs": source, "injected": injected}
        if name == "raters":
            rated = np.ones(n, bool)
            more["raters"] = np.where(rng.random((3, n)) < 0.15, wrong, ~wrong).astype(float)
            means.y = [wrong.astype(float)]
            rated_by = {"right": (~wrong).astype(float), **{f"r{k}": one for k, one in enumerate(more["raters"])}}
            source = Corpus(
                [
                    Row("x", system=system, item=item, scores={name: float(of[row]) for name, of in rated_by.items()})
                    for row, (system, item) in enumerate(keys)
                ]
            )
            more["length"] = np.ones(n)
            how = {"rater_aspects": ["r0", "r1", "r2"], "aspects": ["right"]}
        if name == "asked again":
            more["again"] = np.stack([scores, *(np.where(rng.random((2, n)) < 0.15, 1 - scores, scores))])
            scores = more["again"].mean(0)
            column = Column(("score",), more["again"].reshape(-1, 1))
            table, means.x = ScoreTable(keys * 3, {"judge": column}, {}, {"repeats": "mean"}), [scores]
            own, more["given"] = 0.5, True
            how = {"thresholds": {"judge": 0.5}}
        raw = Raw(
            scores=scores,
            rated=rated,
            bad=wrong & rated,
            blank=np.zeros(n, bool),
            clusters=clusters,
            sign=sign,
            own=own,
            scale=name == "a scale",
            means=means,
            risk=0.1,
            probable="less" in name,
            **more,
        )
        if not raw.scale:
            of = rated_rows(table.per_item(), source, ["right"])
            task = RatedTask.of(of, "right", scores, 1.0, np.ones(n, bool), 0)
            tested = task.rows.independent(task.rng)[0].tested
            raw.chooses = Raw(**{**vars(raw), "tested": tested, "by": "balanced"})
            raw.promise = Raw(**{**vars(raw), "tested": tested, "by": "risk"})
        probable = ["judge"] if raw.probable else []
        found = nlgauge.trust(table, source, probabilities=probable, margin=MARGIN, **how)
        yield name, found[0], raw


def wording_bands() -> Iterator[tuple[str, WordingBand, Raw]]:
    for name, found, raw in trusts():
        for band, of in zip(found.bands, of_bands(raw), strict=True):
            yield f"{name}, {band.shares}", band, of
