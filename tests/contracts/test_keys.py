"""Whatever moves a number moves its key in the store, and its signature: every parameter, model and column.

A new metric, or a new parameter, needs a line here only if its type does not suggest a second value, if it means
something only beside another parameter, or if it cannot move a number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from nlgauge import ScoreTable, evaluate, registry
from nlgauge.contract.base import Metric, RowMetric
from nlgauge.contract.parameters import parameters_of
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.models import loading
from nlgauge.engine.reply_encoder import read_reply_encoder, write_reply_encoder
from nlgauge.metrics.sets import SetMetric
from tests.extras import lacking

lab = pytest.importorskip("nlgauge_lab.reproduce.cached", reason="needs nlgauge-lab")
NOT_SCORED, cached = lab.NOT_SCORED, lab.cached

_METRICS = Path(__file__).parents[1] / "metrics"
WRITER = str(_METRICS / "writer")
WEIGHTS = str(Path(__file__).parents[2] / "packages/nlgauge-lab/tests/lab/metrics/weights.json")
OTHER_WEIGHTS = "{folder}/weights.json"
OTHER = "other weights of "
"""Before the name of a model: the same model under another digest"""


class Values(NamedTuple):
    """The values of a parameter."""

    values: tuple[object, ...]
    beside: Mapping[str, object] = {}
    """Other parameters that it needs"""


_DETECTORS = Path(WEIGHTS).parent / "detectors"
NEEDED: Mapping[str, Mapping[str, object]] = {
    "BARTScore": {"model": WRITER},
    "Combination": {"weights": WEIGHTS},
    "published/SummaCZS": {"splitter": "nlgauge", "model": f"nli:{_DETECTORS / 'nli'}"},
    "published/MiniCheck": {"splitter": "nlgauge", "model": f"minicheck:{_DETECTORS / 'minicheck'}"},
    "published/LettuceDetect": {"model": f"lettuce:{_DETECTORS / 'lettuce'}"},
}
"""What a metric has to be given"""

SECOND: Mapping[str, Values] = {
    "BARTScore.references": Values(("best", "mean"), {"direction": "precision"}),
    "BaryScore.special_tokens": Values((True, False), {"idf": "none"}),
    "BaryScore.regularisation": Values((0.01, 0.02), {"distance": "sinkhorn"}),
    "BaryScore.barycenter_weights": Values(("uniform", "same"), {"idf": "general"}),
    "BERTScore.layer": Values((None, 2, 3)),
    "BLEU.smooth_value": Values((None, 0.2), {"smooth": "floor"}),
    "Combination.weights": Values((WEIGHTS, OTHER_WEIGHTS)),
    "CTCAspect.reading": Values(("search", "windows"), {"aligner": "D"}),
    "Faithfulness.then": Values((None, "pocket")),
    "Faithfulness.unsure": Values(((0.01, 0.02), (0.01, 0.99)), {"then": "pocket"}),
    "DepthScore.layer": Values((None, 2, 3)),
    "InfoLM.measure": Values(("fisher_rao", "kl", "l1", "l2", "linf", "jensen_shannon")),
    "InfoLM.alpha": Values((0.5, 0.75), {"measure": "alpha"}),
    "InfoLM.beta": Values((0.5, 0.75), {"measure": "gamma"}),
    "InfoLM.temperature": Values((None, 1.0, 1.5)),
    "InfoLM.direction": Values(("jeffreys", "forward", "reverse"), {"measure": "kl"}),
    "InfoLM.stride": Values((1, 2, 8)),
    "Relevance.models": Values((None, ("pocket", f"{OTHER}pocket")), {"aligner": "D"}),
    "MaskEval.weights": Values(("uniform", "candidate", "coherence", "consistency"), {"scoring": "probability"}),
    "MaskEval.keep": Values((1.0, 0.3), {"weights": "consistency", "scoring": "probability"}),
    "MaskEval.per_text": Values((False, True), {"weights": "consistency", "keep": 0.3, "scoring": "probability"}),
    "MaskEval.decoding": Values(("joint", "stepwise", "single"), {"scoring": "probability"}),
    "MaskEval.segmentation": Values(("plain", "spacy"), {"scoring": "probability"}),
    "MaskEval.stride": Values((1, 2), {"scoring": "probability"}),
    "METEOR.stemmer": Values(("porter", "none", "english")),
    "METEOR.wordnet": Values((None, "{folder}/wordnet"), {"tokenizer": "spaces"}),
    "PRD.layers": Values((5, 6), {"unit": "token", "runs": 1}),
    "PRD.unit": Values(("sentence", "token"), {"runs": 1}),
    "ReplyFit.weights": Values(("conversation", "{folder}/replies.safetensors")),
    "ROUGE.sentences": Values(("lines", "split"), {"variant": "Lsum"}),
    "SentenceMovers.layer": Values((None, 2, 3)),
    "SetMetric.layers": Values((5, 6), {"unit": "token"}),
    "TER.asian": Values((False, True), {"normalized": True}),
}
"""Values of a class's parameter, where neither its `choices` nor its default suggests them"""


_ONE_ALIGNER = "the published code has the aligner E alone, so that there is no second value"
UNABLE: Mapping[str, str] = {
    "_Published.aligner": _ONE_ALIGNER,
    "BySentences.splitter": "the rules of nltk for sentences are on no package index",
    "Combination.model": "any model but the one that its weights were fitted to is refused",
    "InfoLM.language": "no card here has temperatures by language: packages/nlgauge-lab has a test of one that has",
    "LettuceDetect.passages": "the sources here have one line: packages/nlgauge-lab has a test of several",
    "ReplyFit.model": "any model but the one that its reply encoder was trained on is refused",
    "_Published.models": f"{_ONE_ALIGNER}: two models are of the others",
    "_Published.reading": f"{_ONE_ALIGNER}: reading is of the others",
}
"""Parameters that cannot move a number, with the reason"""

ROWS = Corpus(
    tuple(
        Row(candidate, references, source, context, item=str(number))
        for number, (candidate, references, source, context) in enumerate(
            [
                (
                    "The Library's re-opened: 3.5 % of 1,200 books weren't returned!\nNobody minds.",
                    (
                        "Nobody minds it at all.\nThe libraries re-opened in May; few books were missing then.",
                        "the library's open, again",
                    ),
                    "It said the library, closed in May, opened; 3.5 % of the books are lost. Nobody minded.",
                    "Which library opened? I do not know, friend.",
                ),
                (
                    "The night was dark. In the hills it snowed on.",
                    ("Snow fell.", "In the hills it snowed in the night, and then in the day too. All was white."),
                    "Snow fell all night. In the mountains the roads were shut.",
                    "Snow? Why?",
                ),
                ("", ("The cat sat.",), "A cat sat there.", "Who sat?"),
                (
                    "图书馆五月重新开放。 The café’s “open”—again…",
                    ("图书馆五月开放。 The cafe is open again", "图书馆"),
                    "图书馆 The café is open again.",
                    "The café?",
                ),
                (
                    "Two boys ran to the auto of a man, by the big houses.",
                    ("Two boys rushed to the car of a man by his house", "Two boys ran to the car by a big house."),
                    "Two boys ran to the car of a man.",
                    "Boys ran.",
                ),
                ("Prices rose, to the skies.", ("The prices rose to the sky and fast.",), "Prices rose.", "News?"),
            ]
        )
    )
)

FEW = Corpus(
    (
        Row(
            "Two boys don't sleepwalk.", ("The boys sleep.", "Both sleepwalk there."), "Two boys sleepwalked.", item="1"
        ),
        Row("Prices rose.", ("The prices rose fast.",), "Prices fell.", item="2"),
    )
)
"""For metrics with a pass for every word"""
WIDE = ROWS[4:]
"""For masks that are at least eight sub-words apart"""
_LONG = " ".join(
    f"Train {number} was late, and its {word} lamp lit." for number in range(16) for word in ("red", "old")
)
BESIDE_LONG = Corpus((Row("The red lamp of a train was lit.", ("A lamp.",), f"A lamp. {_LONG} A train came.", _LONG),))
"""A source and a context that do not fit a row of an aligner"""

_THINGS = ("library", "harbour", "market", "theatre", "school", "station")
_ENDS = ("opens at nine.", "was sold.", "burned down last night!", "is shut for the winter, they said.", "has a cat.")
SETS = Corpus(
    tuple(
        Row(f"The {thing} {end}", (f"{end} This is the new {thing}, and not the old one.",), item=f"{thing} {end}")
        for thing in _THINGS
        for end in _ENDS
    )
)


# A column and a judge take their numbers from elsewhere: tests/metrics/test_column.py, test_judge.py.
KINDS = {name: kind for name, kind in registry.project_metrics().items() if not kind.subject}
"""Read once: each call reads the metadata of all installed packages"""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two metrics that differ in one parameter, as arguments of the class."""

    name: str
    parameter: str
    first: Mapping[str, object]
    second: Mapping[str, object]

    def __str__(self) -> str:
        shown = {key: str(value).rpartition("/")[2] for key, value in {**self.first, **self.second}.items()}
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in shown.items())})-{self.parameter}"


def found_of(table: Mapping[str, Any], kind: type, parameter: str) -> Any:
    """What a table says of a class's parameter, or of the class that it has it from."""
    return next((table[key] for one in kind.__mro__ if (key := f"{one.__name__}.{parameter}") in table), None)


def values_of(kind: type[Metric], parameter: str, default: object) -> Values:
    """The values of a parameter: those of the table, else its choices, else its default and another one."""
    if (given := found_of(SECOND, kind, parameter)) is not None:
        return given
    if choices := parameters_of(kind)[parameter].choices:
        return Values(choices)
    if isinstance(default, bool):
        return Values((False, True))
    if isinstance(default, int):
        return Values((default, default + 1))
    if isinstance(default, float):
        return Values((default, default / 2))
    raise LookupError


def pairs() -> Iterator[Pair]:
    for name, kind in KINDS.items():
        needed = NEEDED.get(name, {})
        for one in fields(kind):
            if found_of(UNABLE, kind, one.name):
                continue
            if one.name == "model":
                yield Pair(name, "model", needed, {"model": f"{OTHER}{needed.get('model', 'pocket')}"})
                continue
            values, beside = values_of(kind, one.name, one.default)
            first = {**needed, **beside, one.name: values[0]}
            yield from (Pair(name, one.name, first, {one.name: value}) for value in values[1:])


PAIRS = list(pairs())


@dataclass
class Looked:
    """All pairs' metrics, what the store has of the second ones once the first were scored, and their numbers."""

    metrics: Mapping[tuple[Pair, int], Metric]
    stored: Mapping[str, ScoreTable]
    numbers: Mapping[str, ScoreTable]


def rows_of(pair: Pair) -> Corpus:
    """Rows by which the two values of a parameter can be known apart."""
    if issubclass(KINDS[pair.name], SetMetric):
        return SETS
    if pair.parameter == "reading":
        return BESIDE_LONG
    if pair.parameter == "stride":
        return WIDE
    return FEW if pair.name in ("InfoLM", "published/InfoLM", "MaskEval") else ROWS


def made(pair: Pair, which: int, folder: Path) -> Metric | None:
    """One of the two metrics of a pair; None if a library that it needs is not installed."""
    given = {**pair.first, **(pair.second if which else {})}
    given = {name: value.format(folder=folder) if isinstance(value, str) else value for name, value in given.items()}
    metric = KINDS[pair.name](**given)
    needs = [*metric.libraries, *(["torch", "transformers"] if WRITER in str(metric.reads) else [])]
    needs += ["spacy"] if given.get("segmentation") == "spacy" else []
    return None if lacking(needs) else metric


def files_in(folder: Path) -> None:
    """Write the files that a parameter names: weights, a reply encoder, and a WordNet in which a car is an auto."""
    encoder = read_reply_encoder("conversation", loading.load("pocket"))
    turned = {**encoder.maps, "reply": encoder.maps["reply"][::-1]}
    write_reply_encoder(folder / "replies.safetensors", replace(encoder, maps=turned))
    content = json.loads(Path(WEIGHTS).read_text(encoding="utf-8"))
    content["combination"]["members"][0]["weight"] = 0.75
    (folder / "weights.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "wordnet").mkdir()
    for kind in ("noun", "verb", "adj", "adv"):
        for name in (f"index.{kind}", f"data.{kind}", f"{kind}.exc"):
            (folder / "wordnet" / name).write_text("", encoding="utf-8")
    index = "auto n 1 0 1 0 00000100  \ncar n 1 0 1 0 00000100  \n"
    (folder / "wordnet" / "index.noun").write_text(index, encoding="utf-8")
    data = "00000100 06 n 02 car 0 auto 0 000 | what rolls  \n"
    (folder / "wordnet" / "data.noun").write_text(data, encoding="utf-8")


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory, _loaded: Callable[..., Any]) -> Looked:
    """All first metrics scored into a store, all second ones looked up there and then scored without it."""
    folder = tmp_path_factory.mktemp("keys")
    files_in(folder)
    metrics = {(pair, n): one for pair in PAIRS for n in (0, 1) if (one := made(pair, n, folder)) is not None}
    usable = [pair for pair in PAIRS if {(pair, 0), (pair, 1)} <= metrics.keys()]
    stored: dict[str, ScoreTable] = {}
    numbers: dict[str, ScoreTable] = {}

    def load(name: str, *how: Any, **more: Any) -> Any:
        if not name.startswith(OTHER):
            return _loaded(name, *how, **more)
        return replace(_loaded(name.removeprefix(OTHER), *how, **more), name=name, digest="ab" * 32)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "load", load)
        for rows in (ROWS, FEW, WIDE, BESIDE_LONG, SETS):
            some = [pair for pair in usable if rows_of(pair) is rows]
            first, second = ({str(metrics[pair, n]): metrics[pair, n] for pair in some} for n in (0, 1))
            scored = evaluate(rows, metrics=list(first.values()), cache=folder / "cache")
            numbers |= dict.fromkeys(first, scored)
            for spec, table in cached(rows, {**second, **first}, folder / "cache"):
                assert isinstance(table, ScoreTable), f"{spec}: {table}"
                stored[spec] = table
            scored = evaluate(rows, metrics=[one for spec, one in second.items() if spec not in first], cache=False)
            numbers |= dict.fromkeys(second.keys() - first.keys(), scored)
    return Looked(metrics, stored, numbers)


def _is_cheap(metric: Metric, rows: Corpus) -> bool:
    """Return whether some rows are scored sooner than they are looked up."""
    return isinstance(metric, RowMetric) and any(map(metric.is_cheap, rows))


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_another_value_has_another_number_key_and_signature(looked: Looked, pair: Pair) -> None:
    first, second = (looked.metrics.get((pair, n)) for n in (0, 1))
    if first is None or second is None:
        pytest.skip("needs a library that is not installed")
    one, other = str(first), str(second)
    assert one != other
    assert looked.numbers[one].signatures[one] != looked.numbers[other].signatures[other]
    assert str(looked.numbers[one].signatures[one]) != str(looked.numbers[other].signatures[other])
    scored = {str(metric) for (_, n), metric in looked.metrics.items() if not n}
    if other not in scored and not _is_cheap(second, rows_of(pair)):  # a value may be the first one of another pair
        assert set(looked.stored[other].column(other).reasons.values()) == {NOT_SCORED}, "a number of before"
    assert NOT_SCORED not in looked.stored[one].column(one).reasons.values(), "what was scored is lost"
    if pair.parameter != "model":  # the other model has the same weights, whatever its digest says
        values = [looked.numbers[spec].column(spec).values for spec in (one, other)]
        assert not np.array_equal(*values, equal_nan=True), "the parameter does nothing: say why in UNABLE"


def test_every_parameter_is_tried_or_its_reason_is_given() -> None:
    tried = {(pair.name, pair.parameter) for pair in PAIRS}
    for name, kind in KINDS.items():
        for one in fields(kind):
            assert ((name, one.name) in tried) != bool(found_of(UNABLE, kind, one.name)), f"{name}.{one.name}"


@pytest.mark.parametrize("column", ["candidate", "references", "source", "context", "question"])
def test_a_column_that_moves_a_number_moves_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _loaded: Callable[..., Any], column: str
) -> None:
    """A metric that reads a column and does not name it would print the number of another text."""
    monkeypatch.setattr(loading, "load", _loaded)
    text = "Two old boys walked."
    rows = Corpus(tuple(replace(row, question="Who ran?") for row in FEW))
    rows = Corpus(tuple(replace(row, context="Who ran there?") for row in rows))
    others = Corpus(tuple(replace(row, **{column: (text,) if column == "references" else text}) for row in rows))
    kinds = {f"{pair.name} {pair.first.get('aligner')}": made(pair, 0, tmp_path) for pair in PAIRS[::-1]}
    of_rows = [one for one in kinds.values() if one is not None and not isinstance(one, SetMetric)]
    metrics = {str(one): one for one in of_rows if not _is_cheap(one, rows)}
    evaluate(rows, metrics=list(metrics.values()), cache=tmp_path / "cache")
    numbers = [evaluate(some, metrics=list(metrics.values()), cache=False).columns for some in (rows, others)]
    for spec, table in cached(others, metrics, tmp_path / "cache"):
        assert isinstance(table, ScoreTable)
        before, after = (columns[spec].values for columns in numbers)
        moved = ~np.isclose(before, after, equal_nan=True, atol=1e-6).all(axis=1)
        stale = [n for n in np.flatnonzero(moved).tolist() if table.column(spec).reasons.get(n) != NOT_SCORED]
        assert not stale, f"{spec} reads {column}, and the store does not know"


def test_another_corpus_to_compare_with_has_another_number_key_and_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _loaded: Callable[..., Any]
) -> None:
    monkeypatch.setattr(loading, "load", _loaded)
    sides = [SETS[:17], SETS[10:], None]
    for spec in ("FrechetDistance", "MarkEvaluate"):
        tables = [evaluate(SETS, metrics=spec, against=side, cache=tmp_path / "cache") for side in sides]
        alone = [evaluate(SETS, metrics=spec, against=side, cache=False) for side in sides]
        for table, other in zip(tables, alone, strict=True):
            np.testing.assert_array_equal(table.column(spec).values, other.column(spec).values)
        assert len({str(table.signatures[spec]) for table in tables}) == len(sides)
        assert len({table.column(spec).values.tobytes() for table in tables}) == len(sides)
