"""Agreement of metrics with people on each layer of a model: the numbers from which a card's `layers` are chosen.

Metrics are grouped into families. A family is judged by the ratings that fit it, at the first level and coefficient
that the results page reports. A data set counts once, however many aspects it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nlgauge import registry
from nlgauge.errors import SpecError
from nlgauge_lab.reproduce.markdown import render, short, table
from nlgauge_lab.reproduce.measuring import measure
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.suites import SUITES, Group, Suite
from nlgauge_lab.studies.layers import layers_of, up_to

_TEXTS = {
    "webnlg2020": ("correctness", "data_coverage", "fluency", "relevance", "text_structure"),
    "realsumm_abs": ("litepyramid_recall",),
    "realsumm_ext": ("litepyramid_recall",),
    "summeval": ("consistency", "coherence", "fluency", "relevance"),
    "yelp_style": ("preservation",),
    "asset": ("meaning",),
}
_REPLIES = ("understandable", "natural", "maintains_context", "overall")
FAMILIES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Consistency": {"summeval": ("consistency",), "yelp_style": ("preservation",), "asset": ("meaning",)},
    "Relevance": {
        "summeval": ("relevance",),
        "realsumm_abs": ("litepyramid_recall",),
        "realsumm_ext": ("litepyramid_recall",),
    },
    "Preservation": {"yelp_style": ("preservation",), "asset": ("meaning",)},
    "Groundedness": {"usr_personachat": ("uses_knowledge",), "usr_topicalchat": ("uses_knowledge",)},
    "Engagingness": {"usr_personachat": ("engaging",), "usr_topicalchat": ("engaging",)},
    "MeanAlignment": {"usr_personachat": _REPLIES, "usr_topicalchat": _REPLIES},
    "BERTScore": _TEXTS,
    "BaryScore": _TEXTS,
    "MoverScore": _TEXTS,
    "SentenceMovers": _TEXTS,
    "DepthScore": _TEXTS,
}
"""By family, the suites that judge it and their aspects that fit it"""
DEFAULT = -1
"""Takes the place of a layer: the metric with its present layers"""


class Judge(NamedTuple):
    """A column of a family's table: an aspect of a data set."""

    suite: str
    aspect: str


@dataclass(frozen=True)
class Family:
    """The agreement of one family with its ratings, for each layer."""

    name: str
    values: Mapping[int, Mapping[Judge, float]]
    """Agreement by layer and column. The key DEFAULT has the metric with its present layers"""

    @property
    def judges(self) -> list[Judge]:
        """The columns, in order."""
        return list(next(iter(self.values.values())))

    @property
    def suites(self) -> list[str]:
        """The titles of the data sets that judge the family."""
        return list(dict.fromkeys(judge.suite for judge in self.judges))

    def mean(self, layer: int, suites: Sequence[str]) -> float:
        """Return the mean over data sets of the mean over their aspects; NaN where a number is missing.

        Args:
            layer: the layer, or DEFAULT.
            suites: titles of data sets.
        """
        by_suite = [
            np.mean([value for judge, value in self.values[layer].items() if judge.suite == suite]) for suite in suites
        ]
        return float(np.mean(by_suite)) if by_suite else math.nan

    def best(self, suites: Sequence[str]) -> int | None:
        """Return the layer with the largest mean over some data sets.

        Of equal layers it is the lower one; None without any mean.
        """
        known = {layer: self.mean(layer, suites) for layer in self.values if layer != DEFAULT}
        known = {layer: mean for layer, mean in known.items() if not math.isnan(mean)}
        return max(known, key=lambda layer: known[layer], default=None)


def families(
    data: Data, scores: Scores, model: str | None = None, names: Sequence[str] = ()
) -> tuple[list[Family], list[str], list[str]]:
    """Return the families measured on every layer of a model, the models that were read, and the data that are missing.

    Args:
        data: the rated data.
        scores: has or computes the scores.
        model: the model; None for the embedded one.
        names: names of families; all if none is given.

    Raises:
        SpecError: a name is not a family.
        InputError: no rated data are there.
    """
    if unknown := [name for name in names if name not in FAMILIES]:
        raise SpecError(f"--metrics {unknown[0]}: not one of {', '.join(FAMILIES)}")
    wanted = {name: by_suite for name, by_suite in FAMILIES.items() if not names or name in names}
    settings = {name: _settings(name, model) for name in wanted}
    cut: list[Suite] = []
    for suite in SUITES:
        specs = [spec for name in wanted if suite.name in wanted[name] for spec in settings[name].values()]
        if specs:
            cut.append(replace(suite, groups=(Group(tuple(specs)),), measured=suite.measured[:1]))
    measured, absent = measure(data, scores, model, replicates=0, suites=cut)
    found: list[Family] = []
    for name, by_suite in wanted.items():
        here = [one for one in measured if one.suite.name in by_suite]
        values: dict[int, dict[Judge, float]] = {layer: {} for layer in settings[name]}
        for layer, spec in settings[name].items():
            for one in here:
                for aspect in by_suite[one.suite.name]:
                    agreed = one.values.get(spec, {}).get((aspect, *one.suite.measured[0]))
                    values[layer][Judge(one.suite.title, aspect)] = math.nan if agreed is None else agreed.value
        if here:
            found.append(Family(name, values))
    return found, list(dict.fromkeys(name for one in measured for name in one.models)), absent


def _settings(name: str, model: str | None) -> dict[int, str]:
    """Return by layer the spec of the family's metric on that layer. The key DEFAULT has the metric as it is."""
    plain = registry.metric(name)
    most = layers_of(registry.metric(name, model=model))
    return {DEFAULT: str(plain), **{number: str(up_to(plain, number)) for number in range(most + 1)}}


def chosen(found: Sequence[Family]) -> dict[str, int]:
    """Return by family the layer that agrees best over all data that judge it. The model's card takes these layers."""
    return {one.name: layer for one in found if (layer := one.best(one.suites)) is not None}


def page(found: Sequence[Family], models: Sequence[str], absent: Sequence[str], limit: int | None) -> str:
    """Return the page in Markdown, with a table for each family.

    Args:
        found: the families.
        models: names of the models that were read.
        absent: names of the data that were missing.
        limit: number of items that were scored of each data set; None for all.
    """
    card = ", ".join(f'"{name}": {layer}' for name, layer in chosen(found).items())
    sections = {one.name: _section(one) for one in found}
    return render("layers.md", models=models, absent=absent, limit=limit, sections=sections, card=card)


def _section(one: Family) -> list[str]:
    best = one.best(one.suites)
    heads = [f"{judge.suite}: {judge.aspect.replace('_', ' ')}" for judge in one.judges]
    named = {layer: f"**{layer}**" if layer == best else layer for layer in one.values} | {DEFAULT: "as it is"}
    rows = [
        [named[layer], *map(short, values.values()), short(one.mean(layer, one.suites))]
        for layer, values in one.values.items()
    ]
    lines = table(["layer", *heads, "mean"], "l" + "r" * (len(heads) + 1), rows)
    if len(one.suites) > 1:
        lines.append(f"| left out | {' | '.join(_left_out(one, judge) for judge in one.judges)} | |")
    return lines


def _left_out(one: Family, judge: Judge) -> str:
    layer = one.best([suite for suite in one.suites if suite != judge.suite])
    return "-" if layer is None else f"{short(one.values[layer][judge])} ({layer})"
