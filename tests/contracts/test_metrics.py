"""What every metric of rows has to hold, whatever it measures. A new one adds specs to EXAMPLES and no test here."""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.contract.base import COSTS, Metric
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.outliers import outliers
from nlgauge.metrics.sets import SetMetric
from tests.contracts.example import Example
from tests.extras import lacking

pytestmark = pytest.mark.usefixtures("one_model")


WRITER = str(Path(__file__).parents[1] / "metrics" / "writer")
"""A BART of a byte a token, eight dimensions and random weights"""

EXAMPLES: dict[str, list[Example]] = {
    "BaryScore": [
        Example("BaryScore"),
        Example("BaryScore(layers=(1, 4), idf='none', distance='w2', references='mean')"),
        Example("BaryScore(layers=1, idf='references', distance='w1', special_tokens=False)"),
        Example("BaryScore(idf='separate')", published=True),
        Example("BaryScore(layers=2, distance='sinkhorn_divergence', regularisation=0.1)"),
    ],
    "InfoLM": [
        Example("InfoLM"),
        Example("InfoLM(measure='kl', idf='references')"),
        Example("InfoLM(measure='l1', idf='none', references='mean')"),
        Example("InfoLM(measure='ab', alpha=3, beta=0.25, temperature=0.5)"),
        Example("InfoLM(measure='renyi', alpha=0.5, direction='forward', stride=3)"),
        Example("InfoLM(measure='alpha', alpha=0.75, temperature=1, idf='union')"),
        Example("InfoLM(preset='summarisation', measure='ab')"),
    ],
    "Perplexity": [Example("Perplexity"), Example("Perplexity(stride=4)")],
    "BARTScore": [
        Example(f"BARTScore(model={WRITER!r})", published=True, torch=True),
        Example(f"BARTScore(direction='f', references='mean', model={WRITER!r})", published=True, torch=True),
    ],
    "BERTScore": [
        Example("BERTScore"),
        Example("BERTScore(layer=0, idf='general', special=True, references='mean')"),
        Example("BERTScore(idf='references')"),
    ],
    "MoverScore": [
        Example("MoverScore"),
        Example("MoverScore(ngram=2, layers=1, aggregate='mean', idf='none', references='mean')"),
        Example("MoverScore(idf='references')"),
    ],
    "MarkEvaluateText": [
        Example("MarkEvaluateText"),
        Example("MarkEvaluateText(references='best', estimator='schnabel', layers=2, normalize=False)"),
    ],
    "WordMovers": [Example("WordMovers"), Example("WordMovers(references='mean')")],
    "SentenceMovers": [Example("SentenceMovers"), Example("SentenceMovers(variant='sms', unit=False)")],
    "Consistency": [
        Example("Consistency"),
        Example("Consistency(layer=3, stopwords=False)"),
        Example("Consistency(aligner='D')"),
        Example("Consistency(aligner='D', reading='windows')"),
    ],
    "Faithfulness": [Example("Faithfulness"), Example("Faithfulness(reading='windows')")],
    "Relevance": [Example("Relevance"), Example("Relevance(aligner='R')")],
    "Preservation": [Example("Preservation"), Example("Preservation(rescale='token')")],
    "Groundedness": [
        Example("Groundedness"),
        Example("Groundedness(stopwords=True, layer=0)"),
        Example("Groundedness(aligner='D')"),
    ],
    "Engagingness": [Example("Engagingness"), Example("Engagingness(aligner='R')")],
    "MeanAlignment": [Example("MeanAlignment")],
    "ReplyFit": [Example("ReplyFit")],
    "MaskEval": [
        Example("MaskEval(scoring='log_probability')"),
        Example("MaskEval(weights='candidate', scoring='probability', decoding='stepwise', stride=4)"),
    ],
    "BLEU": [
        Example("BLEU"),
        Example("BLEU(references='best', tokenizer='intl', smooth='floor', smooth_value=0.2, ngram=2)"),
        Example("BLEU(references='mean', lowercase=True, smooth='add-k')"),
    ],
    "ChrF": [Example("ChrF"), Example("ChrF(references='mean', words=2, beta=3, lowercase=True, eps_smoothing=True)")],
    "WER": [Example("WER"), Example("WER(references='mean', lowercase=True)")],
    "CER": [Example("CER")],
    "TER": [Example("TER"), Example("TER(references='mean', normalized=True, asian=True, lowercase=False)")],
    "ROUGE": [
        Example("ROUGE"),
        Example("ROUGE(references='sum', variant='1', stemmer=True)"),
        Example("ROUGE(references='mean', variant='2', tokenizer='unicode')"),
        Example("ROUGE(variant='Lsum', tokenizer='character', sentences='split')"),
    ],
    "METEOR": [
        Example("METEOR"),
        Example("METEOR(references='mean', variant='2007', stemmer='none', tokenizer='unicode')"),
        Example("METEOR(variant='nltk')"),
        Example("METEOR(stemmer='none', tokenizer='spaces')"),
    ],
    "CIDEr": [
        Example("CIDEr"),
        Example("CIDEr(variant='plain', ngram=2, tokenizer='13a')"),
        Example("CIDEr(tokenizer='spaces')"),
    ],
    "SARI": [
        Example("SARI"),
        Example("SARI(variant='original', tokenizer='unicode')"),
        Example("SARI(tokenizer='spaces')"),
    ],
    "TokenF1": [Example("TokenF1"), Example("TokenF1(references='mean', words='any')")],
    "Length": [Example("Length", of_empty=True), Example("Length(unit='characters')", of_empty=True)],
    "CopyRate": [Example("CopyRate"), Example("CopyRate(ngram=2)")],
}
if find_spec("nlgauge_lab"):
    from lab.examples import EXAMPLES as OF_THE_LAB

    EXAMPLES |= OF_THE_LAB

REFERENCE = "The library opens in May."
ROWS = tuple(
    Row(candidate, tuple(references), source, context, item=str(number))
    for number, (candidate, references, source, context) in enumerate(
        [
            ("The library will open in May.", [REFERENCE], "It opens in May, the library said.", "Where to?"),
            ("Snow.", ["It snowed.", "Snow fell."], "Snow fell all night long.", "What is it like out?"),
            ("She sold the blue boat to a man.", ["She sold her boat."], "She sold it.", "And then?"),
            ("Yes, I like old songs.", ["I sing.", "Yes."], "Songs, old ones.", "Do you?"),
            ("Prices rose.", ["The prices went up."], "Prices rose by 3 %.", "News?"),
            ("A hen laid an egg in the hat by the door.", ["An egg lay in it."], "A hat.", "Where?"),
        ],
        start=1,
    )
)
ODD = {
    "empty": "",
    "spaces": " \t\n",
    "one letter": "a",
    "punctuation": "?!",
    "Chinese": "图书馆五月重新开放。",
    "emoji": "🙂👩‍👩‍👧🇨🇭",
    "right to left": "المكتبة تفتح في مايو ספרייה",
    "NUL": "a\0b",
    "NUL alone": "\0",
    "combining": "e\u0301\u200d\ufeff",
    "unassigned": "\U000e0fff\ue000",
    "special tokens": "[CLS] [MASK] [SEP] [PAD] [UNK] <mask> </s>",
    "long word": "x" * 300,
}


@functools.cache
def _scored(rows: tuple[str, ...], corpus: Corpus, run: int) -> ScoreTable | None:
    try:
        return nlgauge.evaluate(corpus, metrics=[example.spec for example in CASES if not extra_for(example)])
    except Exception:
        return None


def scored(example: Example, rows: Sequence[Row], run: int = 0) -> tuple[Column, Signature]:
    """Column and signature. All examples share a run, which is far quicker; where one breaks, each has its own."""
    corpus = Corpus(tuple(rows))
    table = _scored(tuple(map(repr, rows)), corpus, run) or nlgauge.evaluate(corpus, metrics=example.spec)
    spec = str(made(example))
    return table.columns[spec], table.signatures[spec]


def values(example: Example, rows: Sequence[Row]) -> np.ndarray:
    """[rows, parts]"""
    return scored(example, rows)[0].values


def refuse_beyond(metric: Metric, got: np.ndarray) -> None:
    """Fail for a sub-score without declared limits, and for a value beyond them by more than rounding."""
    assert set(metric.limits) == set(metric.parts)
    for values, part in zip(got.T, metric.parts, strict=True):
        low, high = metric.limits[part]
        known = values[~np.isnan(values)]
        assert low < high and (known >= low - 1e-6).all() and (known <= high + 1e-6).all(), (part, known, low, high)


def _compares(example: Example) -> bool:
    return hasattr(made(example), "references")


@functools.cache
def made(example: Example) -> Metric:
    return registry.metric(example.spec)


@functools.cache
def extra_for(example: Example) -> str | None:
    """The extra that the example needs and this environment does not have."""
    return lacking([*made(example).libraries, *(("torch", "transformers") if example.torch else ())])


KINDS = registry.project_metrics()
"""Read once: each call reads the metadata of all installed packages"""
CASES = [example for name in KINDS for example in EXAMPLES.get(name, [])]


def each_example(wanted: Callable[[Example], bool] = lambda example: True) -> pytest.MarkDecorator:
    """The test with every example that is wanted, skipped where its libraries are not installed."""
    cases = []
    for example in filter(wanted, CASES):
        extra = extra_for(example)
        skip = pytest.mark.skipif(bool(extra), reason=f"needs nlgauge[{extra}]")
        cases.append(pytest.param(example, marks=skip))
    return pytest.mark.parametrize("example", cases, ids=str)


every_example = each_example()


def odd_rows() -> list[Row]:
    """Odd texts as candidate, as reference and as both; a row without references; a pair of equal texts."""
    rows = [Row(text, (REFERENCE,), REFERENCE, REFERENCE, item=f"candidate {name}") for name, text in ODD.items()]
    rows += [Row(REFERENCE, (text,), text, text, item=f"reference {name}") for name, text in ODD.items()]
    rows += [Row(text, (text,), text, text, item=f"both {name}") for name, text in ODD.items()]
    return [*rows, Row(REFERENCE, item="nothing but a candidate"), Row(REFERENCE, (REFERENCE,), item="equal")]


def test_every_metric_has_an_example() -> None:
    # Those of sets: test_sets.py. Those of other people's numbers: tests/metrics/test_column.py and test_judge.py.
    rows = [name for name, kind in KINDS.items() if not (issubclass(kind, SetMetric) or kind.example)]
    lacking = [name for name in rows if not EXAMPLES.get(name)]
    assert not lacking, f"add a spec or more for {lacking} to EXAMPLES in tests/contracts/test_metrics.py"


def test_every_example_is_of_its_metric() -> None:
    for name, examples in EXAMPLES.items():
        assert {type(made(example)) for example in examples} == {KINDS[name]}


@every_example
def test_the_spec_and_a_pickle_give_an_equal_metric(example: Example) -> None:
    metric = made(example)
    for again in (registry.metric(str(metric)), pickle.loads(pickle.dumps(metric))):
        assert again == metric
        assert hash(again) == hash(metric)
        assert str(again) == str(metric)


@every_example
def test_a_metric_says_what_it_is(example: Example) -> None:
    metric = made(example)
    assert (type(metric).__doc__ or "").strip()
    assert metric.parts
    assert len(set(metric.parts)) == len(metric.parts)
    assert isinstance(metric.higher_is_better, bool)
    assert set(metric.details) <= set(metric.parts)
    assert (set(metric.details) == set(metric.parts)) == (metric.name in ("Length", "CopyRate"))
    assert metric.cost in COSTS
    assert (metric.cost == "strings") == (metric.reads is None) or example.spec.startswith("Combination")
    assert set(metric.columns) <= {"candidate", "references", "source", "context"}
    facts = scored(example, ROWS)[1].facts
    assert {*metric.libraries, "nlgauge"} <= facts.keys()
    assert str(metric) == repr(metric)
    assert values(example, ROWS).shape == (len(ROWS), len(metric.parts))
    with pytest.raises(AttributeError):
        metric.model = "other"  # type: ignore[misc]


@every_example
def test_rows_in_another_order_keep_their_values(example: Example) -> None:
    order = [2, 1, 4, 3, 0, 5]  # 0 -> 2 -> 4 -> 0: not its own inverse
    assert len({len(row.candidate) for row in ROWS}) == len(ROWS)
    straight, turned = values(example, ROWS), values(example, [ROWS[i] for i in order])
    np.testing.assert_allclose(turned, straight[order], rtol=1e-4, atol=1e-5)
    assert np.unique(np.round(straight[:, 0], 6)).size > 2, "rows too alike to show a wrong order"


@every_example
def test_equal_rows_have_equal_values(example: Example) -> None:
    again = [replace(row, item=f"{row.item} again {time}") for time in range(2) for row in ROWS[1:4]]
    got = values(example, [*ROWS, *again])
    np.testing.assert_array_equal(got[6:9], got[1:4])
    np.testing.assert_array_equal(got[9:], got[1:4])


@every_example
def test_a_run_repeats(example: Example) -> None:
    (first, signature), (second, again) = (scored(example, ROWS, run) for run in range(2))
    assert first is not second
    np.testing.assert_array_equal(first.values, second.values)
    assert signature == again


@every_example
def test_a_row_does_not_depend_on_others_unless_the_metric_says_so(example: Example) -> None:
    among = values(example, ROWS)[1:4]
    alone = np.concatenate([values(example, [row]) for row in ROWS[1:4]])
    if made(example).uses_corpus:
        assert not np.allclose(alone, among, rtol=1e-4, atol=1e-5, equal_nan=True), "then it does not use the corpus"
    else:
        np.testing.assert_allclose(alone, among, rtol=1e-4, atol=1e-5)


@each_example(lambda example: not example.published and _compares(example))
def test_an_identical_text_scores_best(example: Example) -> None:
    metric = made(example)
    rows = [Row(text, (REFERENCE,), item=text) for text in (REFERENCE, *(row.candidate for row in ROWS))]
    got = values(example, rows)[:, 0]
    best = got.max() if metric.higher_is_better else got.min()
    assert got[0] == pytest.approx(best, abs=1e-6)
    assert (got[1:] != got[0]).all()
    if not metric.higher_is_better:
        assert got[0] == pytest.approx(0, abs=1e-6)


@every_example
def test_odd_texts_have_a_finite_value_or_a_reason_and_no_distance_is_negative(example: Example) -> None:
    rows = odd_rows()
    column, _ = scored(example, rows)
    got = np.concatenate([values(example, ROWS), column.values])
    assert (~np.isnan(got)).sum() >= len(ROWS)
    assert made(example).higher_is_better or not (got < 0).any()
    refuse_beyond(made(example), got)
    places = [("s", str(number)) for number in range(len(got))]
    assert not list(outliers(ScoreTable(places, {example.spec: replace(column, values=got)}, {}))), "no tool's error"
    for index, row in enumerate(rows):
        known = all(map(math.isfinite, column.values[index]))
        missing = any(map(math.isnan, column.values[index])) and bool(column.reasons.get(index))
        assert known or missing, f"{row.item}: {column.values[index]} {column.reasons.get(index)!r}"
        assert not (known and index in column.reasons)
    if not example.published and not example.of_empty:
        assert math.isnan(column.values[0, 0]), "an empty candidate says nothing"


@each_example(lambda example: made(example).reads is not None and not example.torch)
def test_a_special_token_written_in_a_text_is_text(example: Example) -> None:
    words = ["", "[MASK]", "[ mask ]", "[SEP]", "[ sep ]", "[PAD]", "[ pad ]"]
    texts = [f"The library {word} opens." for word in words]
    got = values(example, [Row(text, (REFERENCE,), REFERENCE, REFERENCE, item=text) for text in texts])
    np.testing.assert_allclose(got[1::2], got[2::2], rtol=1e-4, atol=1e-5)
    assert (got[1::2] != got[0]).any(axis=1).all()
