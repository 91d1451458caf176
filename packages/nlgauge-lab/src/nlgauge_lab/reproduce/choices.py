"""The choice of the metrics that the results page shows for a column of ratings, from the lines of that page.

A measurement is such a column: an aspect of a data set at a level, with Pearson's r. Three metrics are shown for it:

    recommended   the same metric for all models, chosen without any rating of the data set. It is the metric that a
                  paper made for this quality, or the best metric on labelled sets. Without either, it is the metric
                  with the largest mean r on other rated data (`Choice.by`).
    sister        for each model, the metric with the largest r on one column of other data (`Choice.sister`)
    best          for each model, the metric with the largest r on the column itself

A metric without a score for some row that has a text is never chosen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nlgauge_lab.reproduce.lines import BASELINE, OURS, PUBLISHED, Key, Line

COEFFICIENT = "pearson"
DETECTOR = "Faithfulness"
"""The metric that detects best on the labelled sets of detection.md: its area under the curve has the largest mean"""
LABELLED, DEFINED = "labelled sets", "definition"


class Rated(NamedTuple):
    """A rated quality: an aspect of a data set."""

    data: str
    aspect: str


class Choice(NamedTuple):
    """The rule that chooses the metric of an aspect. It uses no ratings of the data that the metric is shown on."""

    task: str
    by: tuple[Rated, ...] = ()
    """Columns whose mean r chooses the metric. Empty if the metric is given, or if no other data are rated for the
    quality
    """
    sister: Rated | None = None
    given: str | None = None
    """The metric, if labelled sets or its definition choose it; else None"""
    why: str = ""
    """LABELLED or DEFINED, for a metric that is given"""


_ABS, _EXT = "REALSumm, abstractive systems", "REALSumm, extractive systems"
_RECALL, _MATTERS = (
    (Rated(_ABS, "litepyramid recall"), Rated(_EXT, "litepyramid recall")),
    Rated("SummEval", "relevance"),
)
_NATURAL = (Rated("Yelp style transfer", "naturalness"), Rated("ASSET simplification", "fluency"))
_NLG, _READS = "WebNLG 2020", (Rated("SummEval", "fluency"), Rated("SummEval", "coherence"))
_WRITTEN = (Rated(_NLG, "fluency"), Rated(_NLG, "text structure"))
_REPLIES = ("engaging", "uses knowledge", "understandable", "natural", "maintains context", "overall")
_ASPECTS = {"engaging": "Engagingness", "uses knowledge": "Groundedness"}
SUMMARIES, RECORDS, DIALOGUE, SIMPLE, STYLE = (
    "summaries",
    "data to text",
    "dialogue",
    "simplification",
    "style transfer",
)

CHOICES: dict[Rated, Choice] = {
    # QAGS is for tests alone, and chooses nothing.
    Rated("SummEval", "consistency"): Choice(SUMMARIES, given=DETECTOR, why=LABELLED),
    Rated("SummEval", "coherence"): Choice(SUMMARIES, (*_WRITTEN, *_NATURAL), _WRITTEN[1]),
    Rated("SummEval", "fluency"): Choice(SUMMARIES, (*_WRITTEN, *_NATURAL), _WRITTEN[0]),
    _MATTERS: Choice(SUMMARIES, sister=_RECALL[0], given="Relevance", why=DEFINED),
    # Both parts of REALSumm have the same articles and references, so neither chooses for the other but as a sister.
    _RECALL[0]: Choice(SUMMARIES, (_MATTERS,), _RECALL[1]),
    _RECALL[1]: Choice(SUMMARIES, (_MATTERS,), _RECALL[0]),
    **{
        Rated(f"QAGS, {name}", "consistency"): Choice(
            SUMMARIES, sister=Rated("SummEval", "consistency"), given=DETECTOR, why=LABELLED
        )
        for name in ("CNN/DM", "XSUM")
    },
    **{
        Rated(_NLG, aspect): Choice(RECORDS, (_MATTERS, *_RECALL), _RECALL[0])
        for aspect in ("correctness", "data coverage", "relevance")
    },
    **{written: Choice(RECORDS, (*_READS, *_NATURAL), like) for written, like in zip(_WRITTEN, _READS, strict=True)},
    **{
        Rated(one, aspect): Choice(
            DIALOGUE,
            by=() if aspect in _ASPECTS else (Rated(other, aspect),),
            sister=Rated(other, aspect),
            given=_ASPECTS.get(aspect),
            why=DEFINED if aspect in _ASPECTS else "",
        )
        for one, other in (("PersonaChat", "TopicalChat"), ("TopicalChat", "PersonaChat"))
        for aspect in _REPLIES
    },
    Rated("Yelp style transfer", "preservation"): Choice(
        STYLE, sister=Rated("ASSET simplification", "meaning"), given="Preservation", why=DEFINED
    ),
    Rated("ASSET simplification", "meaning"): Choice(
        SIMPLE, (Rated("Yelp style transfer", "preservation"),), Rated("Yelp style transfer", "preservation")
    ),
    Rated("ASSET simplification", "fluency"): Choice(SIMPLE, (*_WRITTEN, *_READS, _NATURAL[0]), _NATURAL[0]),
    Rated("ASSET simplification", "simplicity"): Choice(SIMPLE),
}
TASKS = (SUMMARIES, RECORDS, DIALOGUE, SIMPLE, STYLE)
HEADLINE = (
    ("SummEval", "consistency", "pooled"),
    ("SummEval", "relevance", "pooled"),
    (_NLG, "correctness", "system"),
    ("PersonaChat", "uses knowledge", "pooled"),
    ("TopicalChat", "overall", "pooled"),
    ("Yelp style transfer", "preservation", "pooled"),
    ("ASSET simplification", "meaning", "pooled"),
)
"""(data, aspect, level) of the lines in the README, one or two for each task"""


class Pick(NamedTuple):
    """The metrics that were chosen for a column, and their lines in it."""

    metrics: Mapping[str, str]
    """The chosen metric, by model"""
    lines: Mapping[str, Line]
    """The metric's line in the column, by model. A metric that reads no model has the same line for each"""
    by: str
    """The names of the data sets that chose the metric, LABELLED or DEFINED; empty where nothing was chosen"""

    def value(self, model: str) -> float:
        """Return Pearson's r of the chosen metric with a model; NaN where there is none."""
        return self.lines[model].value if model in self.lines else math.nan


class Measurement(NamedTuple):
    """A column of Pearson's r with its three chosen metrics and the best published number."""

    key: Key
    task: str
    published: Line | None
    recommended: Pick
    sister: Pick | None
    """The metric that is best on other data, chosen for each model; None if no other data are rated for the quality"""
    best: Pick
    baseline: Line | None
    """The best metric that reads no model, chosen on this column itself"""


def family(metric: str) -> str:
    """Return the name of a metric without the setting of how many words are masked at a time.

    That setting depends on the length of the texts, so it differs between data sets.
    """
    return re.sub(r",? ?stride=8", "", metric).replace("()", "")


class Records:
    """The lines of the results page, arranged by column, and the choices of metrics from them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.models = list(dict.fromkeys(line.on for line in lines if line.kind == OURS))
        self._columns: dict[Key, dict[tuple[str, str], Line]] = {}
        self.published: dict[Key, Line] = {}
        for line in lines:
            if line.kind in (OURS, BASELINE) and line.whole and not math.isnan(line.value):
                self._columns.setdefault(line.key, {})[family(line.metric), line.on] = line
            elif line.kind == PUBLISHED:
                best = self.published.get(line.key)
                self.published[line.key] = line if best is None or line.value > best.value else best
        self.keys = [key for key in self._columns if key[3] == COEFFICIENT]

    def at(self, key: Key, model: str) -> dict[str, Line]:
        """Return the lines of a column, by the name of the metric as `family` gives it.

        Args:
            key: the column.
            model: the model. Lines of metrics that read this model or no model are returned.
        """
        return {name: line for (name, on), line in self._columns.get(key, {}).items() if on in ("", model)}

    def column(self, rated: Rated, level: str = "") -> Key | None:
        """Return the column of a rated quality at a level, or else at its first level; None if it has no column."""
        known = [key for key in self.keys if key[:2] == rated]
        return next((key for key in known if key[2] == level), known[0] if known else None)

    def mean(self, metric: str, columns: Iterable[Key]) -> float:
        """Return the mean of a metric's values over pairs of a column and a model; NaN if a pair was not measured."""
        found = [self.at(key, model).get(metric) for key in columns for model in self.models]
        return math.nan if None in found or not found else sum(line.value for line in found if line) / len(found)

    def pick(self, key: Key, metrics: Mapping[str, str], by: str) -> Pick:
        """Return the chosen metrics with their lines in a column.

        Args:
            key: the column.
            metrics: the chosen metric, by model.
            by: the names of what chose the metrics.
        """
        lines = {model: self.at(key, model).get(metric) for model, metric in metrics.items()}
        return Pick(metrics, {model: line for model, line in lines.items() if line is not None}, by)

    def recommended(self, key: Key, choice: Choice) -> Pick:
        """Return the metric that is given or that other data choose. It is the same for all models."""
        if choice.given is not None:
            return self.pick(key, dict.fromkeys(self.models, choice.given), choice.why)
        columns = [at for rated in choice.by if (at := self.column(rated)) is not None]
        # Measured here by every model, whatever it says here.
        names = [
            name for name in self.at(key, self.models[0]) if all(name in self.at(key, model) for model in self.models)
        ]
        means = {name: self.mean(name, columns) for name in names}
        known = {name: mean for name, mean in means.items() if not math.isnan(mean)}
        if not known or len(columns) < len(choice.by):
            return Pick({}, {}, "")
        return self.pick(key, dict.fromkeys(self.models, max(known, key=lambda name: known[name])), _named(choice.by))

    def sister(self, key: Key, choice: Choice) -> Pick | None:
        """Return for each model the metric that is best on the sister column; None if there is no such column."""
        column = None if choice.sister is None else self.column(choice.sister, key[2])
        if choice.sister is None or column is None:
            return None
        chosen = {}
        for model in self.models:
            here, there = self.at(key, model), self.at(column, model)
            names = [name for name in there if name in here]
            if names:
                chosen[model] = max(names, key=lambda name: there[name].value)
        return self.pick(key, chosen, choice.sister.data)

    def best(self, key: Key) -> Pick:
        """Return for each model the metric that is best on the column itself, among the metrics that read the model."""
        chosen = {}
        for model in self.models:
            reading = {name: line for name, line in self.at(key, model).items() if line.kind == OURS}
            if reading:
                chosen[model] = max(reading, key=lambda name: reading[name].value)
        return self.pick(key, chosen, key[0])

    def baseline(self, key: Key) -> Line | None:
        """Return the best line of a column among the metrics that read no model; None without any."""
        return max(self.at(key, "").values(), key=lambda line: line.value, default=None)


def measurements(lines: Sequence[Line]) -> list[Measurement]:
    """Return every column of Pearson's r, in the order of the lines.

    A column that CHOICES does not name has an empty task.
    """
    records = Records(lines)
    found = []
    for key in records.keys:
        choice = CHOICES.get(Rated(*key[:2]), Choice(""))
        if records.models:
            found.append(
                Measurement(
                    key=key,
                    task=choice.task,
                    published=records.published.get(key),
                    recommended=records.recommended(key, choice),
                    sister=records.sister(key, choice),
                    best=records.best(key),
                    baseline=records.baseline(key),
                )
            )
    return found


def _named(by: Iterable[Rated]) -> str:
    return ", ".join(dict.fromkeys(rated.data.partition(",")[0] for rated in by))


FAMILIES: Mapping[str, tuple[str, ...]] = {
    "BaryScore, idf": ("BaryScore", "BaryScore(idf='none')", "BaryScore(idf='references')"),
    "InfoLM, measure": ("InfoLM", "InfoLM(measure='kl')", "InfoLM(measure='ab', alpha=3, beta=0.25)"),
    **{
        f"{aspect}, aligner": (aspect, f"{aspect}(aligner='D')", f"{aspect}(aligner='R')")
        for aspect in ("Consistency", "Preservation", "Engagingness", "Groundedness", "MeanAlignment")
    },
}
"""For each metric and parameter, the settings that are compared. The default is the first"""


class Setting(NamedTuple):
    """The effect of choosing a setting of a metric on other data sets.

    `default`, `chosen` and `best` are means of r over data sets. A data set's r is the mean r of its columns.
    """

    family: str
    model: str
    sets: int
    columns: int
    default: float
    chosen: float
    """Mean r if each data set gets the setting that is best on all data sets but this one"""
    best: float
    """Mean r if each data set gets the setting that is best on itself"""
    changed: int
    """Number of data sets for which the other data sets choose a setting that is not the default"""


def settings(lines: Sequence[Line]) -> list[Setting]:
    """Return for each family and model how well its settings can be chosen on other data sets.

    For each data set, the setting is chosen that has the largest mean r on all other data sets. A column counts if all
    settings were measured on it and CHOICES names it. A family (`FAMILIES`) is returned if at least two data sets have
    such columns. Data sets that are only for tests are left out.
    """
    records = Records(lines)
    found = []
    for family_of, names in FAMILIES.items():
        for model in records.models:
            by_set: dict[str, list[list[float]]] = {}
            for key in records.keys:
                here = records.at(key, model)
                told = Rated(*key[:2]) in CHOICES and not key[0].startswith("QAGS")
                if told and all(name in here for name in names):
                    by_set.setdefault(key[0], []).append([here[name].value for name in names])
            means = [[sum(column) / len(column) for column in zip(*rows, strict=True)] for rows in by_set.values()]
            if len(means) < 2:
                continue
            chosen = [_first_best(_over(means[:at] + means[at + 1 :])) for at in range(len(means))]
            found.append(
                Setting(
                    family=family_of,
                    model=model,
                    sets=len(means),
                    columns=sum(map(len, by_set.values())),
                    default=_over([row[:1] for row in means])[0],
                    chosen=sum(row[at] for row, at in zip(means, chosen, strict=True)) / len(means),
                    best=sum(map(max, means)) / len(means),
                    changed=sum(at > 0 for at in chosen),
                )
            )
    return found


def _over(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each setting over data sets: [settings], from the values [data sets][settings]."""
    return [sum(column) / len(column) for column in zip(*rows, strict=True)]


def _first_best(means: Sequence[float]) -> int:
    return max(range(len(means)), key=lambda at: means[at])
