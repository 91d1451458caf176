"""A model's card: measured facts about the model, in files next to its weights.

card.json                 temperature, temperatures, layers, bertscore_baseline, languages, grounded, aligner
document_frequencies.npy  the number of documents, then the number of those in which each token occurs
aligner.safetensors       threshold and temperature of the aligner, beside its weights
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nlgauge.data.signature import FLOAT32
from nlgauge.engine.models.stored import json_object, one_line, shown
from nlgauge.errors import SpecError
from nlgauge.maths.wording import Band

CARD_FILE = "card.json"
TEMPERATURES = "temperatures"
"""The key in card.json for the temperatures, by language, at which the model's masked distributions fit text best"""
FREQUENCIES_FILE = "document_frequencies.npy"
ALIGNER_FILE = "aligner.safetensors"
ALIGNER_THRESHOLD = "aligner.threshold"
ALIGNER_TEMPERATURE = "aligner.temperature"
ALIGNER_QUESTION = "aligner.question"
"""The key in an aligner's file for a number that is 1 if the aligner was trained to read a question separately from the
source"""
ALIGNER_EVIDENCE = "aligner.evidence"
"""The key in an aligner's file for the largest number of a source's sub-words that the aligner reads per sub-word of
the text (`SearchShape.evidence`)"""
BY_PRECISION = "by_precision"
"""The key, in the thresholds of card.json, for thresholds that were measured in another precision than float32"""
ALIGNER_FACTS = (ALIGNER_THRESHOLD, ALIGNER_TEMPERATURE, ALIGNER_QUESTION, ALIGNER_EVIDENCE)
"""The entries in an aligner's file that are not weights"""


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """How many documents of a large general text contain each token, and how many documents there are."""

    counts: NDArray[np.int64]
    """[vocabulary]: the number of documents in which each token occurs"""
    documents: int


@dataclass(frozen=True)
class ModelCard:
    """Measured facts about a model. A fact that was not measured has a neutral value or is absent."""

    temperature: float = 1.0
    """The temperature at which the model's masked distributions agree best with human ratings"""
    document_frequencies: DocumentFrequencies | None = None
    """The number of documents in which the model's tokens occur; None if unknown"""
    bertscore_baseline: Mapping[int, tuple[float, float, float]] = field(default_factory=dict)
    """Precision, recall and F1 of unrelated sentences, by layer"""
    aligner_threshold: float = 0.5
    """The threshold of alignment below which a word is marked as unsupported. It is `mark_below` of the card's
    thresholds, or else the threshold that the aligner's training chose on held-out words"""
    aligner_temperature: float = 1.0
    """The number that divides the log-odds of whole texts, so that their probabilities are calibrated on held-out
    texts"""
    aligner_asks: bool = False
    """Whether the model's aligner was trained to read a question separately from the source"""
    aligner_evidence: int = 0
    """The largest number of a source's sub-words that the aligner reads per sub-word of the text; 0 if only the row
    limits it"""
    languages: tuple[str, ...] = ()
    """Codes of the languages that the model reads, such as "en"; empty if unknown, and then no text is refused"""
    grounded: tuple[float, float] | None = None
    """Two thresholds of the probability that a source supports all of a text. Below the first, the text is called
    unsupported; from the second on, supported; between them, there is no verdict. None if not measured"""
    grounded_in: str = FLOAT32
    """The precision in which `grounded`, `strict`, `right_answers`, `bands` and `mark_below` were measured"""
    strict: float | None = None
    """The threshold below which few right answers are: at most 5 % of them on each labelled set, and 3 % in the mean.
    None if not measured"""
    right_answers: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Three shares of right answers, by kind: 'answers' and 'long answers' to a question, and 'others'. The first is
    the share that fails, on the labelled set where it is largest. The other two are the share that does not pass, on
    the set where it is smallest and on the set where it is largest. The smallest share is the lower end of its
    interval, and the two largest shares are the upper ends of theirs"""
    bands: tuple[Band, ...] = ()
    """How well the model's aligner judges answers, by the share of their words that the source has, too; empty if not
    measured"""
    layers: Mapping[str, int] = field(default_factory=dict)
    """For each metric, the layer at which it agrees best with human ratings. Keys are BERTScore, DepthScore and
    SentenceMovers; Consistency, Relevance, Preservation, Groundedness, Engagingness and MeanAlignment, or CTC for those
    of them that are not named; and BaryScore and MoverScore, which use several layers and name the last one"""
    measured: frozenset[str] = frozenset()
    """The names of the facts in card.json"""
    temperatures: Mapping[str, float] = field(default_factory=dict)
    """The temperature at which masked tokens of plain text are likeliest, by language"""
    origins: Mapping[str, str] = field(default_factory=dict)
    """For each fact that comes from publications and not from the folder (a metric of `layers`, 'baseline',
    'temperature'): the checkpoint that it was published for, and how that was recognised, such as "bert-base-uncased by
    name" (`published.py`)"""

    def layer(self, *families: str) -> tuple[int, str | None] | None:
        """Return the layer for the first of these metric families that has one, and its origin.

        The origin is None for a layer that was not published. The result is None if no family has a layer.
        """
        first = next((family for family in families if family in self.layers), None)
        return None if first is None else (self.layers[first], self.origins.get(first))


def read_card(folder: Path, precision: str = FLOAT32) -> ModelCard:
    """Return the card of a model's folder.

    Args:
        folder: the folder.
        precision: in which the model computes. The thresholds of `nlgauge check --grounded` are those that were
            measured in this precision; if none were, those of float32.

    Returns:
        The card; an empty card if there is none.

    Raises:
        SpecError: the card cannot be read, or has an impossible value.
    """
    path = folder / CARD_FILE
    facts = json_object(path, "card of a model") if path.is_file() else {}
    try:
        if (temperature := _number(facts.get("temperature", 1.0))) <= 0:
            raise ValueError(f"temperature {temperature} is not above 0")
        temperatures = {str(name): _number(value) for name, value in facts.get(TEMPERATURES, {}).items()}
        if any(value <= 0 for value in temperatures.values()):
            raise ValueError("one of its temperatures is not above 0")
        baseline = facts.get("bertscore_baseline", {}).items()
        layers = {str(name): _layer(layer) for name, layer in facts.get("layers", {}).items()}
        threshold, divisor, asks, evidence = _read_aligner(folder / ALIGNER_FILE)
        if "aligner" in facts:  # of a detector that was trained here, which has no file of its own
            threshold, divisor = _share(facts["aligner"]["threshold"]), _number(facts["aligner"]["temperature"])
            if divisor <= 0:
                raise ValueError(f"the aligner's temperature {divisor} is not above 0")
        thresholds, measured_in = thresholds_in(facts, precision)
        if thresholds is not None and "mark_below" in thresholds and (folder / ALIGNER_FILE).is_file():
            threshold = _share(thresholds["mark_below"])
        return ModelCard(
            temperature=temperature,
            document_frequencies=_read_frequencies(folder / FREQUENCIES_FILE),
            bertscore_baseline={int(n): (_number(p), _number(r), _number(f)) for n, (p, r, f) in baseline},
            aligner_threshold=threshold,
            aligner_temperature=divisor,
            aligner_asks=asks,
            aligner_evidence=evidence,
            languages=tuple(str(language) for language in facts.get("languages", ())),
            grounded=_grounded(thresholds),
            grounded_in=measured_in,
            strict=None if thresholds is None or "strict" not in thresholds else _share(thresholds["strict"]),
            right_answers=_right_answers(thresholds),
            bands=_bands(thresholds),
            layers=layers,
            measured=frozenset(facts),
            temperatures=temperatures,
        )
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        if isinstance(error, SpecError):
            raise
        raise SpecError(f"{path} is not the card of a model: {one_line(error)}") from None


def thresholds_in(facts: Mapping[str, Any], precision: str) -> tuple[Mapping[str, Any] | None, str]:
    """Return the thresholds of a card for a precision, and the precision in which they were measured.

    Args:
        facts: the content of card.json.
        precision: the precision in which the model computes.

    Returns:
        The thresholds in one mapping with the facts that were measured with them, and the precision in which they were
        measured. This is `precision` if the card has thresholds for it, and float32 if not. The mapping is None if the
        card has no thresholds.
    """
    thresholds = facts.get("grounded")
    others = {} if thresholds is None else thresholds.get(BY_PRECISION, {})
    return (others[precision], precision) if precision in others else (thresholds, FLOAT32)


def write_facts(folder: Path, **facts: object) -> None:
    """Add facts to the card of a folder. A fact that is None is removed."""
    path = folder / CARD_FILE
    facts_there = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    written = {name: fact for name, fact in {**facts_there, **facts}.items() if fact is not None}
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def _read_frequencies(path: Path) -> DocumentFrequencies | None:
    if not path.is_file():
        return None
    try:
        table = np.load(path, allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise SpecError(f"{path} is not a table of document frequencies: {one_line(error)}") from None
    right = isinstance(table, np.ndarray) and table.ndim == 1 and table.dtype.kind in "iu" and len(table) > 1
    if not (right and table[0] > 0 and table[1:].min() >= 0 and table[1:].max() <= table[0]):
        raise SpecError(
            f"{path} is not a table of document frequencies: it must have the number of documents, then the count of "
            "each token"
        )
    counts = table.astype(np.int64)
    return DocumentFrequencies(counts[1:], int(counts[0]))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{shown(value)} is not a number")
    return float(value)


def _grounded(fact: Any) -> tuple[float, float] | None:
    if fact is None:
        return None
    fail, certain = _number(fact["fail_below"]), _number(fact["pass_from"])
    if not 0 <= fail <= certain <= 1:
        raise ValueError(f"grounded: {fail} and {certain} are not two probabilities in ascending order")
    return fail, certain


def _right_answers(fact: Any) -> dict[str, tuple[float, float, float]]:
    shares = {} if fact is None else fact.get("right_answers", {})
    return {str(kind): (_share(failing), _share(low), _share(high)) for kind, (failing, low, high) in shares.items()}


def _bands(fact: Any) -> tuple[Band, ...]:
    bands = () if fact is None else fact.get("bands", ())
    return tuple(Band(*(_share(of[name]) for name in ("from", "to", "area", "low"))) for of in bands)


def _share(value: object) -> float:
    if not 0 <= (share := _number(value)) <= 1:
        raise ValueError(f"{share} is not from 0 to 1")
    return share


def _layer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{shown(value)} is not a layer")
    return value


def _read_aligner(path: Path) -> tuple[float, float, bool, int]:
    """Return an aligner's threshold and temperature, whether it reads a question, and how much of a source it reads."""
    facts = {ALIGNER_THRESHOLD: 0.5, ALIGNER_TEMPERATURE: 1.0, ALIGNER_QUESTION: 0.0, ALIGNER_EVIDENCE: 0.0}
    if path.is_file():
        try:
            with safe_open(path, "np") as weights:
                there = facts.keys() & set(weights.keys())
                facts |= {name: _number(float(weights.get_tensor(name)[0])) for name in there}
        except (OSError, SafetensorError, IndexError, TypeError, ValueError) as error:
            raise SpecError(f"{path} has no aligner that can be read: {one_line(error)}") from None
        if not (0 <= facts[ALIGNER_THRESHOLD] <= 1 and facts[ALIGNER_TEMPERATURE] > 0):
            raise SpecError(f"{path} has no aligner that can be read: its threshold or temperature is out of range")
        if facts[ALIGNER_EVIDENCE] < 0 or facts[ALIGNER_EVIDENCE] % 1:
            raise SpecError(f"{path} has no aligner that can be read: its limit of evidence is no whole number")
    evidence = int(facts[ALIGNER_EVIDENCE])
    return facts[ALIGNER_THRESHOLD], facts[ALIGNER_TEMPERATURE], bool(facts[ALIGNER_QUESTION]), evidence
