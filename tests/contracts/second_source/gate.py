"""The gate against an earlier run, and a board of scorers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import nlgauge
from nlgauge import ScoreTable
from nlgauge.answers.scorecard import BoardLine, board
from nlgauge.data.table import Column
from nlgauge.gate import Outcome, Verdict
from nlgauge.gate.verdict import ReadClaim, Regression, finding_of
from tests.answers.test_scorecard import a_set, card
from tests.contracts.second_source.decision import NOT_DECIDED
from tests.contracts.second_source.literal import NAN, Raw, Sources, holm_of, literals, none, optimize, stats
from tests.contracts.second_source.scores import (
    DIFFERENCE,
    apart,
    both,
    difference_ends,
    difference_laws,
    gap,
    lost,
    shown_by,
)
from tests.maths.test_inference import UNLIMITED, YES_NO, Given, laws, literal, literal_p

# ---- The gate, and a board of scorers


@cache
def interim(r: Raw) -> tuple[float, float, float]:
    """Ends and p of the first analysis of a history, of which half the level is spent: for shifts, and Student's t."""
    gaps, normal, spent = apart(r), stats.norm, 0.05 / 2 / 2  # two systems, and half of the level for the first one
    factor = 1 / (4 * normal.cdf(-math.sqrt(2)))  # of Bentkus and Dzindzalieta
    z = -normal.ppf(spent / 2 / factor)

    def beyond(shift: float) -> float:
        return abs((gaps - shift).sum()) - z * math.sqrt(((gaps - shift) ** 2).sum())

    ends = [optimize.brentq(beyond, gaps.mean(), gaps.mean() + side) for side in (-2.0, 2.0)]
    p = min(1.0, 2 * factor * normal.cdf(-abs(gaps.sum()) / math.sqrt((gaps**2).sum())) * 2)
    for centre, error, freedom in difference_laws(r):
        ends += stats.t.interval(1 - spent, freedom, centre, error)
    return max(-1.0, min(ends)), min(1.0, max(ends)), max(p, min(1.0, 2 * literal_p(gap(r), difference_laws(r))))


def regression_p(r: Raw) -> float:
    return interim(r)[2] if r.history else literal_p(gap(r), difference_laws(r))


def of_both_systems(r: Raw) -> float:
    """By Holm; in a history each system has half of the level."""
    return min(1.0, 2 * interim(r)[2]) if r.history else holm_of([regression_p(one) for one in r.systems], r.place)


REGRESSION: Sources = {
    "system": lambda r: "AB"[r.place],
    "baseline": lambda r: "AB"[r.place],
    "n": DIFFERENCE["n"],
    "now": DIFFERENCE["a"],
    "before": DIFFERENCE["b"],
    "difference": gap,
    "low": lambda r: interim(r)[0] if r.history else difference_ends(r)[0],
    "high": lambda r: interim(r)[1] if r.history else difference_ends(r)[1],
    "p": regression_p,
    "adjusted": of_both_systems,
    "worse": lambda r: not lost(r, 1) < 0.05 if r.margin else gap(r) < 0 and of_both_systems(r) < 0.05,
    "reason": none,
    "look": lambda r: 1 if r.history else None,
    "no_worse": lambda r: lost(r, 1) if r.margin else None,
    "detectable": lambda r: None if r.history else shown_by(r, both(r).sum(), 2),
}
OUTCOME: Sources = {
    "system": lambda r: "AB"[r.row // 40],
    "item": lambda r: str(r.row % 40),
    "row": lambda r: r.row + 1,
    "value": lambda r: r.value,
    "state": lambda r: "missing" if math.isnan(r.value) else "passed" if r.value >= 0.6 else "failed",
    "problem": lambda r: (
        "no value: empty" if math.isnan(r.value) else None if r.value >= 0.6 else f"{r.value:.4f} is below 0.6"
    ),
    "unsupported": lambda r: (),
    "finding": none,
    "answer": none,
    "reasons": lambda r: (),
    "quotes": lambda r: (),
    "claims": lambda r: (),
    "doubted": lambda r: False,
    "decided_by": none,
}
READ_CLAIM: Sources = {
    "begin": lambda r: r.place[0],
    "end": lambda r: r.place[1],
    "text": lambda r: r.answer[r.place[0] : r.place[1]],
    "probability": lambda r: r.probability,
    "quote": lambda r: max(r.shared, key=r.shared.get) if r.shared else None,
}
VERDICT: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "higher_is_better": lambda r: True,
    "at_least": lambda r: 0.6,
    "at_most": none,
    "significance": lambda r: 0.05,
    "outcomes": lambda r: tuple(literals(OUTCOME, one) for one in r.rows),
    "regressions": lambda r: tuple(literals(REGRESSION, one) for one in r.systems),
    "margin": lambda r: r.margin,
    "left_out": lambda r: {},
    "notes": lambda r: ("what the numbers of M depend on is not known of both runs, and was not compared",),
    "second_at_least": none,
    **NOT_DECIDED,
}


@cache
def checked() -> list[tuple[str, Verdict, Raw]]:
    """A run of the systems A and B against an earlier one."""
    made, rng = [], np.random.default_rng(13)
    for margin, history in ((None, False), (0.06, False), (None, True)):
        before = [rng.beta(5, 2, 40) for _ in "AB"]
        now = [np.clip(one + 0.08 * rng.normal(size=40) - 0.06 * (n == 0), 0, 1) for n, one in enumerate(before)]
        now[1][:4] = NAN
        tables = []
        for values in (now, before):
            x = np.concatenate(values)
            reasons = dict.fromkeys(np.flatnonzero(np.isnan(x)).tolist(), "empty")
            column = Column(("score",), x[:, None], reasons, limits={"score": YES_NO})
            tables.append(ScoreTable([(s, f"{n}") for s in "AB" for n in range(40)], {"M": column}, {}))
        with TemporaryDirectory() as folder:
            path = Path(folder) / "history.jsonl" if history else None
            found = nlgauge.check(tables[0], "M", at_least=0.6, against=tables[1], margin=margin, history=path)
        systems = [
            Raw(a=a, b=b, counts=None, clusters=None, limits=YES_NO, margin=margin, history=history, place=place)
            for place, (a, b) in enumerate(zip(now, before, strict=True))
        ]
        for one in systems:
            one.systems = systems
        rows = [Raw(row=row, value=value) for row, value in enumerate(np.concatenate(now).tolist())]
        made.append((f"margin {margin}, history {history}", found, Raw(systems=systems, rows=rows, margin=margin)))
    return made


def regressions() -> Iterator[tuple[str, Regression, Raw]]:
    for name, found, raw in checked():
        for one, system in zip(found.regressions, raw.systems, strict=True):
            yield f"{name}, {one.system}", one, system


def outcomes() -> Iterator[tuple[str, Outcome, Raw]]:
    for name, found, raw in checked():
        for one, row in zip(found.outcomes, raw.rows, strict=True):
            yield f"{name}, row {one.row}", one, row


def read_claims() -> Iterator[tuple[str, ReadClaim, Raw]]:
    """Claims whose words come from two sentences of the source, from one, and from none."""
    answer, quotes = "Ann sings well. Bob left. Cid ran.", ["Ann sings.", "She does it well.", "Bob stays."]
    begins, nearest = [0, 4, 10, 16, 20, 26, 30], [0, 0, 1, 2, 2, None, None]
    words = [
        {"begin": begin, "alignment": 0.5} | ({} if quote is None else {"quote": quote})
        for begin, quote in zip(begins, nearest, strict=True)
    ]
    places, chances = [(0, 15), (16, 25), (26, 34)], [0.2, 0.9, 0.1]
    stretches = [
        {"begin": begin, "end": end, "quotes": [0, 1, 2], "supported": chance}
        for (begin, end), chance in zip(places, chances, strict=True)
    ]
    text = {"name": "candidate", "text": answer, "words": words, "stretches": stretches}
    text["quotes"] = [{"text": quote} for quote in quotes]
    claims = finding_of({"texts": [text]}, "failed").claims
    assert len(claims) == 2, "the two worst are shown"
    for claim, which in zip(claims, np.argsort(chances)[:2].tolist(), strict=True):
        begin, end = places[which]
        near = [quote for at, quote in zip(begins, nearest, strict=True) if begin <= at < end and quote is not None]
        shared = {quotes[quote]: near.count(quote) for quote in near}
        raw = Raw(answer=answer, place=places[which], probability=chances[which], shared=shared)
        yield claim.text, claim, raw


def of_items(r: Raw, scorer: str) -> np.ndarray:
    """Pearson within each item; a row without a score has the mean score."""
    x = np.where(np.isnan(r.by[scorer]), np.nanmean(r.by[scorer], 1)[:, None], r.by[scorer])
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x, r.y, strict=True)])


def place_of(r: Raw) -> int:
    """A new cluster begins where a scorer differs from one of the cluster so far, the best first."""
    pairs = list(combinations(r.by, 2))
    gaps = [Given(of_items(r, a) - of_items(r, b), UNLIMITED) for a, b in pairs]
    p = [literal_p(one.values.mean(), laws(one)) for one in gaps]
    apart = {frozenset(pair) for n, pair in enumerate(pairs) if holm_of(p, n) < 0.05}
    cluster, members = 0, list[str]()
    for name in sorted(r.by, key=lambda one: -of_items(r, one).mean()):
        if not members or any(frozenset((name, other)) in apart for other in members):
            cluster, members = cluster + 1, []
        members.append(name)
        if name == r.scorer:
            break
    return cluster


BOARD_LINE: Sources = {
    "set": lambda r: "set",
    "aspect": lambda r: "quality",
    "measure": lambda r: "item",
    "scorer": lambda r: r.scorer,
    "rows": lambda r: int((~np.isnan(r.by[r.scorer])).sum()),
    "unscored": lambda r: int(np.isnan(r.by[r.scorer]).sum()),
    "value": lambda r: of_items(r, r.scorer).mean(),
    "low": lambda r: literal(Given(of_items(r, r.scorer), (-1.0, 1.0)), 0.95)[0],
    "high": lambda r: literal(Given(of_items(r, r.scorer), (-1.0, 1.0)), 0.95)[1],
    "cluster": place_of,
    "trained": lambda r: r.scorer == "alike",
}


def board_lines() -> Iterator[tuple[str, BoardLine, Raw]]:
    sets = {
        name: a_set(seed, noise=noise)
        for seed, (name, noise) in enumerate({"good": 1.0, "alike": 1.0, "poor": 4.0}.items(), 1)
    }
    by = {name: table.values("M").reshape(40, 4) for name, (table, _) in sets.items()}
    y = np.array([row.scores["quality"] for row in sets["good"][1]]).reshape(40, 4)
    made = board(
        card(name, one, trained=("the SET of 2020",) if name == "alike" else None) for name, one in sets.items()
    )
    for one in made.lines:
        yield one.scorer, one, Raw(by=by, y=y, scorer=one.scorer)
