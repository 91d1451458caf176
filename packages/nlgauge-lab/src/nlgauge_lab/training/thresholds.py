"""Measurement of the thresholds of `nlgauge check --grounded`: from which probability on is a text called supported?

The middle of the two thresholds has the largest mean, over sets, of hits minus false alarms (Youden's J). So a set
counts once, however many rows it has. Between the two thresholds the gate gives no decision. In the mean of the sets, a
tenth of the texts that the model can read lie there, half of them on each side of the middle.

The strict threshold is for single rows: at most 5 % of the right texts of each set lie below it, and 3 % in the mean of
the sets. For each kind of text (answers to a question, long answers of several claims, other texts) it is also measured
how many right texts lie below the strict threshold, and how many do not pass. The gate compares a set with these
shares.

How reliable a probability is depends on how much of an answer's wording its source has. For bands of this share, the
area under the ROC curve is measured in each set with enough right and wrong texts. The areas are averaged, with a lower
limit. Texts of a band whose lower limit is too low (`nlgauge.maths.wording`) are not judged, so they are not used for
the thresholds.

A third threshold is the alignment under which a word is marked as unsupported. It is chosen by the same rule, where a
text with a marked word is taken to be unsupported. A threshold with the best F1 of the words themselves would find more
wrong words in long answers, but would mark a word in many more true paraphrases too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.evidence import refuses_worst, surely_differs
from nlgauge.data.signature import FLOAT32
from nlgauge.data.table.column import CLAIMS, WORDING
from nlgauge.engine.models import loading
from nlgauge.engine.models.card import BY_PRECISION, CARD_FILE, write_facts
from nlgauge.errors import InputError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.gate.decision import RightAnswers
from nlgauge.gate.thresholds import ANSWERS, LONG_ANSWERS, METRIC, OTHERS, PART, kind_of
from nlgauge.gate.verdict import SAID, finding_of
from nlgauge.maths.intervals import share_interval
from nlgauge.maths.wording import EDGES, LEAST_AREA, Band, Bands, readable
from nlgauge.show.tables import Cell, Number
from nlgauge.stats.decisions import auroc
from nlgauge_lab.training.labelled import Labelled, as_corpus, held_out, labelled_set
from nlgauge_lab.written import HELD_OUT

CHOSEN_ON = ("summedits.dev", "quintd_human.dev", "fever_symmetric.dev", "scifact.dev", "infotabs.dev", "written.dev")
"""Held-out sets of six kinds: no shipped aligner has read their rows"""
MEASURED_ON = (
    "ragtruth_qa.test",
    "summedits.test",
    "quintd_human.test",
    "fever_symmetric.test",
    "written.test",
    "written.families",
    "written.words",
)
BY_KIND = "written.test"
"""The set whose hits are given by kind of error, and whose findings are counted"""
BY_FAMILY = "written.families"
"""The set whose hits and false alarms are given by what a reader has to understand"""
_UNSURE = 0.1
_MOST_OF_A_SET, _MOST_IN_THE_MEAN = 0.05, 0.03
_FEWEST, _LEVEL = 80, 0.95
"""The least number of right texts of a kind in a set that is used for the kind, and the level of the intervals"""
HEADS = ("set", "rows", "unsupported", "hits", "false alarms", "unsure", "in other words")
_FEWEST_OF_BAND = 15
"""The least number of right texts, and of wrong ones, in a set that is used for a band of wording"""
SHARES = ("unsupported", "hits", "false_alarms", "unsure", "unread")


class Judged(NamedTuple):
    """The scores of the rows of a labelled set, with their labels."""

    probability: NDArray[np.float64]
    """Probability that the source supports the whole text, or NaN: [rows]"""
    supported: NDArray[np.bool_]
    """Whether the labels say that the text is supported: [rows]"""
    least: NDArray[np.float64]
    """The least alignment of a word of the text, or NaN: [rows]"""
    evidence: Mapping[int, Any] = {}
    kinds: Sequence[str] = ()
    """Kind of the error in the text, empty if unknown: [rows]"""
    families: Sequence[str] = ()
    """What a reader of the text has to understand, empty if unknown: [rows]"""
    asked: NDArray[np.bool_] | None = None
    """Whether the text answers a question: [rows]; None if no text does"""
    claims: NDArray[np.float64] | None = None
    """Number of claims in the text, 1 if it was not counted: [rows]; None if all have 1"""
    wording: NDArray[np.float64] | None = None
    """Share of the text's longer words that its source has: [rows]; None if it was not measured"""
    bands: Bands = ()
    """How well the model separates right from wrong texts in each band of wording; empty until it is measured"""

    def of(self, rows: NDArray[np.bool_]) -> Judged:
        """Return the rows for which `rows` is True. `kinds`, `families`, `asked` and `claims` are not copied."""
        numbers = {int(row): number for number, row in enumerate(np.flatnonzero(rows))}
        evidence = {numbers[row]: one for row, one in self.evidence.items() if row in numbers}
        wording = None if self.wording is None else self.wording[rows]
        return Judged(
            self.probability[rows], self.supported[rows], self.least[rows], evidence, wording=wording, bands=self.bands
        )

    @property
    def by_model(self) -> NDArray[np.bool_]:
        """Whether the model's probability decides about the text: [rows].

        It does not if there is none, if the text surely differs from its source, or if its worst claim is a refusal.
        """
        refused = np.array([refuses_worst(self.evidence.get(row)) for row in range(len(self.supported))], bool)
        return np.asarray(~np.isnan(self.probability) & ~self.sure & ~refused)

    @property
    def unread(self) -> NDArray[np.bool_]:
        """Whether the model cannot read the text, because of its wording: [rows]."""
        if self.wording is None or not self.bands:
            return np.zeros(len(self.supported), bool)
        other = np.array([not readable(share, self.bands) for share in self.wording.tolist()], bool)
        return np.asarray(self.by_model & other)

    @property
    def read(self) -> NDArray[np.float64]:
        """Probability of the texts that the model can read, NaN for other texts: [rows]."""
        return np.where(self.unread, np.nan, self.probability)

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Whether the text surely differs from its source, such as by another number: [rows]."""
        rows = range(len(self.supported))
        return np.array([surely_differs(self.evidence.get(row)) is not None for row in rows], bool)


class Thresholds(NamedTuple):
    """The thresholds of a model.

    Below `fail_below` a text is called unsupported, and from `pass_from` on it is called supported. A word is marked if
    its alignment is below `mark_below`.
    """

    fail_below: float
    pass_from: float
    mark_below: float


class Measured(NamedTuple):
    """The thresholds of a model, and how well they decide."""

    thresholds: Thresholds
    rates: dict[str, dict[str, float]]
    """The number of rows and the shares that `rates` returns, by the name of the set"""
    kinds: dict[str, dict[str, float]]
    """The results of `by_kind` for the set `BY_KIND`, by kind of error"""
    families: dict[str, dict[str, float]]
    """The results of `by_family` for the set `BY_FAMILY`, by what a reader of the text has to understand"""
    findings: dict[str, dict[str, float]]
    """For each finding in the set `BY_KIND`: under "supported" its share of the supported rows, and under "unsupported"
    its share of the others"""
    strict: float
    """The strict threshold. Few right texts lie below it"""
    right_answers: dict[str, RightAnswers]
    """By kind of text (answers, long answers, others), how often right texts fail or are doubted"""
    bands: dict[Band, int]
    """The bands of wording, each with the area that says how well the model reads its texts, and with the number of
    these texts
    """


def thresholds(sets: Sequence[Judged]) -> Thresholds:
    """Return the thresholds chosen on some sets, in hundredths.

    Raises:
        InputError: if no set has rows of both kinds.
    """
    known = [one for one in sets if one.supported.any() and not one.supported.all()]
    if not known:
        raise InputError("no set has both supported and unsupported rows", remedy="give labelled rows of both kinds")
    grid = np.arange(1, 100) / 100
    middle, under = _best(known, [one.read for one in known], grid)
    low = int(np.flatnonzero(under >= under[middle] - _UNSURE / 2)[0])
    high = int(np.flatnonzero(under <= under[middle] + _UNSURE / 2)[-1])
    marks, _ = _best(known, [one.least for one in known], grid)
    return Thresholds(float(grid[low]), float(grid[high]), float(grid[marks]))


def _best(
    sets: Sequence[Judged], numbers: Sequence[NDArray[np.float64]], grid: NDArray[np.float64]
) -> tuple[int, NDArray[np.float64]]:
    """Return the best point of a grid, and the share of numbers below each point.

    The best point has the largest mean, over sets, of hits minus false alarms.

    Args:
        sets: the labelled sets.
        numbers: a number for each row of each set, low for unsupported texts. Rows with NaN do not count.
        grid: the points: [points].

    Returns:
        The index of the best point. The share of all numbers below each point, as a mean over sets: [points].
    """
    there = [(one.supported[~np.isnan(of)], of[~np.isnan(of)]) for one, of in zip(sets, numbers, strict=True)]
    there = [(supported, of) for supported, of in there if supported.any() and not supported.all()]
    hits, alarms = (
        np.mean([_below(of[supported == kind], grid) for supported, of in there], axis=0) for kind in (False, True)
    )
    return int((hits - alarms).argmax()), np.mean([_below(of, grid) for _, of in there], axis=0)


def strict(sets: Sequence[Judged]) -> float:
    """Return the strict threshold, in hundredths: the largest one below which few right texts of each set lie."""
    grid = np.arange(1, 100) / 100
    right = [one.read[one.supported & ~np.isnan(one.read)] for one in sets]
    shares = np.array([_below(some, grid) for some in right if len(some)])
    fine = (shares.max(0) <= _MOST_OF_A_SET) & (shares.mean(0) <= _MOST_IN_THE_MEAN)
    return float(grid[fine].max(initial=0.0))


def right_answers(sets: Sequence[Judged], below: float, doubted_below: float) -> dict[str, RightAnswers]:
    """Return how often right texts fail or are doubted, by kind of text.

    Each share has an interval in each set with enough right texts of the kind. The result has the most extreme ends of
    these intervals. A kind of text for which no set has enough texts is left out.

    Args:
        sets: the labelled sets.
        below: the strict threshold, below which a text fails.
        doubted_below: the threshold below which a text is doubted.
    """
    limits: dict[str, list[tuple[float, float, float]]] = {ANSWERS: [], LONG_ANSWERS: [], OTHERS: []}
    for one in sets:
        n = len(one.supported)
        asked = np.zeros(n, bool) if one.asked is None else one.asked
        claims = np.ones(n) if one.claims is None else one.claims
        kinds = np.array([kind_of(bool(question), count) for question, count in zip(asked, claims, strict=True)])
        for kind in limits:
            right = (kinds == kind) & one.supported & ~np.isnan(one.read)
            given, sure = one.read[right], one.sure[right]
            if len(given) >= _FEWEST:
                fails = (given < below) | (sure & (given < doubted_below))
                failing = share_interval(float(fails.mean()), len(given), _LEVEL)
                doubted = share_interval(float((given < doubted_below).mean()), len(given), _LEVEL)
                limits[kind].append((failing[1], *doubted))
    return {
        kind: RightAnswers(
            failing=round(max(failing for failing, _, _ in some), 3),
            doubted_low=round(min(low for _, low, _ in some), 3),
            doubted=round(max(high for _, _, high in some), 3),
        )
        for kind, some in limits.items()
        if some
    }


def bands(sets: Sequence[Judged]) -> dict[Band, int]:
    """Return how well a model reads texts of each band of wording, with the number of texts of the measurement.

    For each band, the area under the ROC curve is measured in each set with enough right and wrong texts in the band.
    The area of the band is the mean over these sets. So a right text is compared only with wrong texts of the same set,
    and each set counts once. The lower limit of the mean is computed for independent areas (Zou and Donner 2008).

    No model reads a text worse because the source has more of its words. If a band has a smaller area than the band
    before it, the two are joined and measured again.
    """
    edges = [0.0, *EDGES, 1.0]
    while True:
        found = [_band_of(sets, begin, end) for begin, end in pairwise(edges)]
        measured = [one for one in found if one is not None]
        falls = next((later for (earlier, _), (later, _) in pairwise(measured) if later.area < earlier.area), None)
        if falls is None:
            return dict(measured)
        edges.remove(falls.begin)


def _band_of(sets: Sequence[Judged], begin: float, end: float) -> tuple[Band, int] | None:
    """Return one band and its number of texts; None if no set has enough right and wrong texts in it.

    Args:
        sets: the labelled sets.
        begin: the least share of wording in the band.
        end: the share at which the band ends. It is not in the band, unless it is 1.
    """
    areas, texts = [], 0
    for one in sets:
        wording = np.full(len(one.supported), np.nan) if one.wording is None else one.wording
        rows = one.by_model & (wording >= begin) & ((wording < end) | (end == 1.0))
        right = one.supported[rows]
        if min(right.sum(), (~right).sum()) >= _FEWEST_OF_BAND:
            areas.append(auroc(one.probability[rows], ~right, np.arange(len(right))))
            texts += len(right)
    if not areas:
        return None
    area = float(np.mean([one.value for one in areas]))
    below = float(np.sqrt(sum((one.value - one.low) ** 2 for one in areas))) / len(areas)
    return Band(begin, end, round(area, 4), round(max(0.0, area - below), 4)), texts


def states(judged: Judged, chosen: Thresholds) -> NDArray[np.str_]:
    """Return the decision of the gate about each row: 'failed', 'unsure' or 'passed'."""
    given = judged.read
    unsure = np.isnan(given) | ((given >= chosen.fail_below) & (given < chosen.pass_from))
    return np.where(unsure, "unsure", np.where(given < chosen.fail_below, "failed", "passed"))


def rates(judged: Judged, chosen: Thresholds) -> dict[str, float]:
    """Return the number of rows, and shares that describe the decisions of the gate.

    The shares are: unsupported rows, unsupported rows that fail (hits), supported rows that fail (false alarms), rows
    without a decision (unsure), and rows that the model cannot read (unread), which are among the unsure ones.
    """
    said, wrong = states(judged, chosen), ~judged.supported
    shares = {
        "unsupported": wrong,
        "hits": said[wrong] == "failed",
        "false_alarms": said[~wrong] == "failed",
        "unsure": said == "unsure",
        "unread": judged.unread,
    }
    return {"rows": len(said), **{name: round(float(np.mean(share)), 4) for name, share in shares.items()}}


def by_kind(judged: Judged, chosen: Thresholds, least: int = 15) -> dict[str, dict[str, float]]:
    """Return a number and two shares for each kind of error, the most frequent kind first.

    These are the number of rows, the share of them that fails ("hits"), and the share about which the gate gives no
    decision ("unsure").

    Args:
        judged: the rows.
        chosen: the thresholds.
        least: the least number of rows. Kinds with fewer are left out.
    """
    said, kinds = states(judged, chosen), np.array(judged.kinds)
    return {
        kind: {
            "rows": number,
            "hits": round(float(np.mean(said[kinds == kind] == "failed")), 4),
            "unsure": round(float(np.mean(said[kinds == kind] == "unsure")), 4),
        }
        for kind, number in Counter(kind for kind in judged.kinds if kind).most_common()
        if number >= least
    }


def by_family(judged: Judged, chosen: Thresholds) -> dict[str, dict[str, float]]:
    """Return the number of rows, hits, false alarms and unsure, as in `rates`, for the rows of each family.

    A family is what a reader of a text has to understand, such as an exception or an order.
    """
    families = np.array(judged.families)
    return {
        family: {
            name: share
            for name, share in rates(judged.of(families == family), chosen).items()
            if name in ("rows", "hits", "false_alarms", "unsure")
        }
        for family in sorted(set(judged.families) - {""})
    }


def by_finding(judged: Judged, below: float, doubted_below: float) -> dict[str, dict[str, float]]:
    """Return the share of each finding among the supported and among the unsupported rows.

    Args:
        judged: the rows.
        below: the strict threshold, below which a row fails.
        doubted_below: the threshold below which a row is doubtful.
    """
    doubtful = np.where(judged.probability < doubted_below, "doubtful", "passed")
    said = np.where(judged.probability < below, "failed", doubtful)
    said = np.where(judged.unread, "unread", said)
    names = np.array(
        [
            "no claim" if np.isnan(value) else str(finding_of(judged.evidence.get(number), str(said[number])).finding)
            for number, value in enumerate(judged.probability)
        ]
    )
    shares = {"supported": judged.supported, "unsupported": ~judged.supported}
    return {
        name: {label: round(float(np.mean(names[rows] == name)), 4) for label, rows in shares.items()}
        for name in SAID
        if (names == name).any()
    }


def measure(
    folder: Path, model: str, cache: Path | bool = True, limit: int | None = None, precision: str = FLOAT32
) -> Measured:
    """Return the thresholds of a model, and how well they decide on those labelled sets that are in a folder.

    Args:
        folder: the folder of the labelled sets.
        model: the name or folder of the model.
        cache: as `evaluate` takes it.
        limit: how many rows of each set are read; None for all.
        precision: the precision in which the model computes.

    Returns:
        The thresholds for this precision.

    Raises:
        InputError: if the folder has none of the labelled sets that thresholds are chosen on.
    """
    wanted = (*CHOSEN_ON, *MEASURED_ON)
    rows = {name: some[:limit] for name in wanted if (some := labelled_set(folder, name)) is not None}
    if not set(rows).intersection(CHOSEN_ON).difference(HELD_OUT):
        raise InputError("none of the labelled sets is there", file=folder, remedy=f"put {CHOSEN_ON[0]}.jsonl there")
    kinds = [kind for _, kind, _ in held_out(BY_KIND)][:limit]
    families = [family for *_, family in held_out(BY_FAMILY)][:limit]
    sets = {name: _judged(some, model, cache, precision) for name, some in rows.items()}
    sets[BY_KIND] = sets[BY_KIND]._replace(kinds=kinds)
    sets[BY_FAMILY] = sets[BY_FAMILY]._replace(families=families)
    by_band = bands(list(sets.values()))
    sets = {name: one._replace(bands=tuple(by_band)) for name, one in sets.items()}
    choosing = [one for name, one in sets.items() if name in CHOSEN_ON]
    chosen, below = thresholds(choosing), strict(choosing)
    return Measured(
        thresholds=chosen,
        rates={name: rates(one, chosen) for name, one in sets.items()},
        kinds=by_kind(sets[BY_KIND], chosen),
        families=by_family(sets[BY_FAMILY], chosen),
        findings=by_finding(sets[BY_KIND], below, chosen.fail_below),
        strict=below,
        right_answers=right_answers(
            [one for name, one in sets.items() if name in MEASURED_ON], below, chosen.fail_below
        ),
        bands=by_band,
    )


def as_cells(measured: Measured) -> list[list[list[Cell]]]:
    """Return five tables: rates by set, by kind of error and by family, the findings, and the areas by wording."""
    sets: list[list[Cell]] = [list(HEADS)]
    for name, one in measured.rates.items():
        sets.append([name, Number(one["rows"], digits=0), *(Number(one[share], digits=3) for share in SHARES)])
    kinds: list[list[Cell]] = [[f"{BY_KIND}: kind of error", "rows", "hits", "unsure"]]
    for name, one in measured.kinds.items():
        shares = [Number(one[share], digits=3) for share in ("hits", "unsure")]
        kinds.append([name, Number(one["rows"], digits=0), *shares])
    families: list[list[Cell]] = [[f"{BY_FAMILY}: family", "rows", "hits", "false alarms", "unsure"]]
    for name, one in measured.families.items():
        shares = [Number(one[share], digits=3) for share in ("hits", "false_alarms", "unsure")]
        families.append([name, Number(one["rows"], digits=0), *shares])
    said: list[list[Cell]] = [[f"{BY_KIND}: finding", "right answers", "wrong answers"]]
    for name, one in measured.findings.items():
        said.append([name, *(Number(one[label], digits=3) for label in ("supported", "unsupported"))])
    wording: list[list[Cell]] = [["wording that the source has", "rows", "area", "lower limit", "is read"]]
    for band, rows in measured.bands.items():
        cells = [Number(rows, digits=0), Number(band.area, digits=3), Number(band.low, digits=3)]
        wording.append([band_name(band.begin, band.end), *cells, "no" if band.low < LEAST_AREA else "yes"])
    return [sets, kinds, families, said, wording]


def band_name(begin: float, end: float) -> str:
    """Return the name of a band of wording in tables, such as "0.5 to 0.65"."""
    return f"{begin:g} to {end:g}"


def write(model: str, measured: Measured, precision: str = FLOAT32) -> Path:
    """Write the thresholds and their results to the card of a model's folder, and return the folder.

    Args:
        model: the name or folder of the model.
        measured: the thresholds.
        precision: the precision in which the thresholds were measured. Thresholds in float32 replace all thresholds of
            the card, because those of other precisions were measured with an earlier state of the model. Thresholds in
            another precision are added to the card.

    Raises:
        SpecError: if the model is no folder, or if its card has no thresholds in float32 yet.
    """
    folder = loading.folder_of(model)
    if not folder.is_dir():
        raise SpecError(f"model {model!r} is no folder, so its card cannot be written: name its folder")
    thresholds: dict[str, Any] = {
        **measured.thresholds._asdict(),
        "strict": measured.strict,
        "right_answers": {kind: [*of] for kind, of in measured.right_answers.items()},
        "bands": [
            {"from": one.begin, "to": one.end, "rows": rows, "area": one.area, "low": one.low}
            for one, rows in measured.bands.items()
        ],
        "chosen_on": [*CHOSEN_ON],
        "rates": measured.rates,
    }
    if precision == FLOAT32:
        more = {"kinds": measured.kinds, "families": measured.families, "findings": measured.findings}
        write_facts(folder, grounded={**thresholds, **more})
        return folder
    card = folder / CARD_FILE
    grounded = json.loads(card.read_text("utf-8")).get("grounded") if card.is_file() else None
    if grounded is None:
        problem = f"the card of {model!r} has no thresholds in {FLOAT32}, beside which those in {precision} could stand"
        raise SpecError(f"{problem}: run the command with --precision {FLOAT32} first")
    others = {**grounded.get(BY_PRECISION, {}), precision: thresholds}
    write_facts(folder, grounded={**grounded, BY_PRECISION: others})
    return folder


def _judged(rows: Sequence[Labelled], model: str, cache: Path | bool, precision: str) -> Judged:
    """Return the scores of labelled texts by a model, with their labels, evidence, claims and wording.

    Args:
        rows: the labelled texts.
        model: the name or folder of the model.
        cache: as `evaluate` takes it.
        precision: the precision in which the model computes.
    """
    table = evaluate(
        as_corpus(rows), metrics=METRIC, model=model, evidence=True, cache=cache, progress=True, precision=precision
    )
    evidence = table.columns[table.metrics[0]].evidence
    least = np.full(len(rows), np.nan)
    for number, one in evidence.items():
        words = (word for text in one.get("texts", []) for word in text["words"])
        least[number] = min((word["alignment"] for word in words), default=np.nan)
    return Judged(
        probability=table.values(table.metrics[0], PART),
        supported=np.array([row.supported for row in rows]),
        least=least,
        evidence=evidence,
        asked=np.array([bool(row.question) for row in as_corpus(rows)]),
        claims=table.values(table.metrics[0], CLAIMS),
        wording=table.values(table.metrics[0], WORDING),
    )


def _below(values: NDArray[np.float64], grid: NDArray[np.float64]) -> Any:
    """Return the share of the numbers below each point of a grid. NaN is below none."""
    return np.mean(values[None, :] < grid[:, None], axis=1)
