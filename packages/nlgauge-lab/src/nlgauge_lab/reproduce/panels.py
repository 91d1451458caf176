"""Combinations of metrics by task, each shown on a data set that its weights were not fitted to.

In each data set the members and the ratings are standardised to mean 0 and deviation 1, and turned so that larger is
better. Weights that are not negative are fitted to the rows of all data sets but one, where each data set has the same
total weight. Then the rows of the remaining data set are predicted. For comparison there are the members at equal
weights, to which nothing is fitted, and the member that agrees best on the other data sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError, SpecError
from nlgauge.ratings.join import turned
from nlgauge.stats.arrays import Float
from nlgauge.stats.fitting import nonnegative
from nlgauge_lab.reproduce.columns import only
from nlgauge_lab.reproduce.markdown import short, table
from nlgauge_lab.reproduce.rated import VIEWS, Data
from nlgauge_lab.reproduce.scoring import Job, Scores
from nlgauge_lab.reproduce.specs import metric_of
from nlgauge_lab.reproduce.suites import SUITES


class Panel(NamedTuple):
    """Metrics that measure one quality together."""

    members: tuple[str, ...]
    sets: tuple[tuple[str, str], ...]
    """(suite, aspect) of the ratings that weights are fitted to"""
    tests: tuple[tuple[str, str], ...] = ()
    """(suite, aspect) of ratings that weights are never fitted to"""


_REPLIES = ("Groundedness", "Groundedness(aligner='D')", "Engagingness", "Engagingness(aligner='D')", "Length")
PANELS: Mapping[str, Panel] = {
    "says only what the source says": Panel(
        ("Consistency", "Consistency(aligner='D')", "Consistency(aligner='R')"),
        (("summeval", "consistency"), ("yelp_style", "preservation"), ("asset", "meaning")),
        (("qags_cnn", "consistency"), ("qags_xsum", "consistency")),
    ),
    "keeps the meaning": Panel(
        ("Preservation", "Preservation(aligner='D')", "MaskEval(stride=8)", "MoverScore", "ChrF"),
        (("yelp_style", "preservation"), ("asset", "meaning")),
    ),
    **{
        f"replies: {aspect.replace('_', ' ')}": Panel(
            _REPLIES, (("usr_personachat", aspect), ("usr_topicalchat", aspect))
        )
        for aspect in ("engaging", "uses_knowledge", "overall")
    },
}


MARGIN = 0.02
"""A combination helps if its agreement is larger by more than this than everything that needs no fitting"""


class RatedScores(NamedTuple):
    """Scores and ratings of those rows of a data set that have a rating and a score by every member of a panel."""

    name: str
    x: Float
    """Scores: [rows, members], larger is better"""
    y: Float
    """Ratings: [rows]"""
    fitted: bool = True
    """Whether weights may be fitted to it"""


class LeftOut(NamedTuple):
    """A data set, and the agreement (Pearson's r of rows) of a panel whose weights were fitted to other data sets."""

    name: str
    rows: int
    weights: tuple[float, ...]
    combination: float
    equal: float
    member: int
    """Index of the member that agrees best on the other data sets"""
    alone: float


def left_out(sets: Sequence[RatedScores]) -> list[LeftOut]:
    """Return for each data set the agreement of a combination whose weights were fitted to the other data sets.

    Raises:
        InputError: there is no other data set to fit to.
    """
    found = []
    for one in sets:
        others = [other for other in sets if other is not one and other.fitted]
        if not others:
            raise InputError(f"no other data set than {one.name} can be fitted to", remedy="give more rated data")
        # Every data set counts as much, however many rows it has.
        rows = [(_standard(other.x), _standard(other.y[:, None]), len(other.y)) for other in others]
        A = np.concatenate([x / math.sqrt(n) for x, _, n in rows])
        b = np.concatenate([y[:, 0] / math.sqrt(n) for _, y, n in rows])
        weights = nonnegative(A, b).coefficients
        x = _standard(one.x)
        alone = np.mean([[_pearson(column, other.y) for column in other.x.T] for other in others], axis=0)
        member = int(alone.argmax())
        found.append(
            LeftOut(
                name=one.name,
                rows=len(one.y),
                weights=tuple(weights.tolist()),
                combination=_pearson(x @ weights, one.y),
                equal=_pearson(x.mean(axis=1), one.y),
                member=member,
                alone=_pearson(one.x[:, member], one.y),
            )
        )
    return found


def _standard(values: Float) -> Float:
    deviations = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0))


def _pearson(first: Float, second: Float) -> float:
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0  # the same for all rows: no agreement
    return float(np.corrcoef(first, second)[0, 1])


def measured(data: Data, scores: Scores, model: str | None, cached: bool) -> tuple[dict[str, list[LeftOut]], list[str]]:
    """Return the agreement of each panel on its data sets, and a line for each panel that cannot be measured.

    Args:
        data: the folder of rated data.
        scores: where scores are cached.
        model: the model of members that name none.
        cached: whether to score nothing.
    """
    suites = {suite.name: suite for suite in SUITES}
    found, lacking = {}, []
    for name, panel in PANELS.items():
        try:
            members = [metric_of(spec, model, {}) for spec in panel.members]
        except SpecError as error:
            lacking.append(f"{name}: {error}")
            continue
        sets, missing = [], []
        for of_suite, aspect in (*panel.sets, *panel.tests):
            suite = suites[of_suite]
            if data.missing([source.file for source in suite.sources]):
                continue
            rated = data.corpus(suite.sources)
            corpus = VIEWS[suite.view](rated)[0]
            job = Job(corpus, suite.name, members)
            if cached:
                scores.look_up(job)
            else:
                scores.fill([job])
            one = _rated(suite.title, corpus, rated, aspect=aspect, members=members, scores=scores)
            if one is None:
                missing.append(suite.title)
            else:
                sets.append(one._replace(fitted=(of_suite, aspect) in panel.sets))
        if sum(one.fitted for one in sets) < 2:
            lacking.append(f"{name}: not scored by all members: {', '.join(missing) or 'its data are not at hand'}")
        else:
            found[name] = left_out(sets)
    return found, lacking


def _rated(
    title: str, corpus: Corpus, rated: Corpus, aspect: str, members: Sequence[Metric], scores: Scores
) -> RatedScores | None:
    """Return the scores and ratings of the rows of a data set that have a rating and a score by every member.

    Args:
        title: the title of the data set.
        corpus: the texts that were scored.
        rated: the rows with their ratings.
        aspect: the rated aspect.
        members: the metrics of the panel.
        scores: has their scores.

    Returns:
        The scores and ratings; None if a member has not scored all rows.
    """
    columns = []
    for member in members:
        column = scores.table(corpus, member)
        if column is None or len(column.rows) < len(corpus):
            return None
        columns.append(turned(only(column), 0))
    ratings = {(row.system, row.item): row.scores.get(aspect, math.nan) for row in rated}
    x, y = np.stack(columns, 1), np.array([ratings[row.system, row.item] for row in corpus])
    known = np.isfinite(x).all(axis=1) & np.isfinite(y)
    return RatedScores(title, x[known], y[known])


def page(found: Mapping[str, Sequence[LeftOut]], lacking: Sequence[str]) -> str:
    """Return the page in Markdown: a table for each panel.

    Args:
        found: by name of a panel, its agreement on each data set.
        lacking: a line for each panel that cannot be measured.
    """
    lines = ["# Combinations by task, fitted on other data", ""]
    for name, sets in found.items():
        members = PANELS[name].members
        rows = [
            [
                one.name,
                f"{one.rows:,}",
                short(one.combination),
                short(one.equal),
                short(one.alone),
                f"`{members[one.member]}`",
                ", ".join(f"{weight:.2f}" for weight in one.weights),
            ]
            for one in sets
        ]
        heads = ["data, left out", "rows", "combination", "equal weights", "best member of the others"]
        lines += [f"## {name.capitalize()}", "", f"Members: {', '.join(f'`{member}`' for member in members)}.", ""]
        lines += [*table([*heads, "which", "weights"], "lrrrrll", rows), ""]
        lines += [_verdict(sets), ""]
    lines += ["Not told of:", "", *(f"- {line}" for line in lacking)] if lacking else []
    return "\n".join(lines).strip() + "\n"


def short_table(found: Mapping[str, Sequence[LeftOut]]) -> list[str]:
    """Return the lines of one table of all panels in Markdown, and a sentence that counts where combinations help."""
    rows = [
        [
            name,
            one.name,
            f"{one.rows:,}",
            short(one.combination),
            short(one.equal),
            short(one.alone),
            f"`{PANELS[name].members[one.member]}`",
        ]
        for name, sets in found.items()
        for one in sets
    ]
    heads = ["question", "data, left out", "rows", "combination", "equal weights", "best member of the others", "which"]
    return [*table(heads, "llrrrrl", rows), "", _verdict([one for sets in found.values() for one in sets])]


def _verdict(sets: Sequence[LeftOut]) -> str:
    helps = sum(one.combination > max(one.equal, one.alone) + MARGIN for one in sets)
    return f"The combination is ahead of both by more than {short(MARGIN, 2)} on {helps} of {len(sets)}."
