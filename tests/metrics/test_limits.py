"""The limits that metrics declare: that they are reached, or cannot be lower. Every value: tests/contracts."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.contract.base import AMOUNT, ANY, SHARE, RowMetric
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.features.likelihood import Likelihood
from nlgauge.maths.divergences import Measure
from nlgauge.metrics.perplexity import _value
from tests.metrics.pieces import pieces, prepared

ALIKE, APART = "the old boat was sold", "x"
ONE, OTHER = pieces("boat", [[1.0, 0.0]]), pieces("boat", [[-1.0, 0.0]])
"""Vectors as far apart as vectors of length 1 can be"""


@pytest.mark.parametrize(
    ("spec", "candidate", "low", "high"),
    [
        *((spec, ALIKE, None, 1.0) for spec in ("TokenF1", "ROUGE", "CopyRate")),
        *((spec, APART, 0.0, None) for spec in ("TokenF1", "ROUGE", "CopyRate", "METEOR", "BLEU", "ChrF", "CIDEr")),
        *((spec, ALIKE, None, 100.0) for spec in ("BLEU", "ChrF", "SARI")),
        *((spec, ALIKE, 0.0, None) for spec in ("TER", "WER", "CER")),
        ("CIDEr", ALIKE, None, 10.0),
        ("Length", "", 0.0, None),
    ],
)
def test_texts_that_are_alike_or_share_nothing_reach_the_limits_of_strings(
    spec: str, candidate: str, low: float | None, high: float | None
) -> None:
    source = "A source of other words." if spec == "SARI" else ALIKE
    rows = [Row(candidate, (ALIKE,), source), Row("Snow fell all night.", ("Snow fell.",), "Snow.", item="2")]
    column = nlgauge.evaluate(Corpus(tuple(rows)), metrics=[spec]).column(spec)
    for part, value in zip(column.parts, column.values[0].tolist(), strict=True):
        for at, limit in enumerate((low, high)):
            if limit is not None:
                assert registry.metric(spec).limits[part][at] == limit == pytest.approx(value, abs=1e-9)


def test_edits_of_a_short_reference_have_no_limit() -> None:
    long = " ".join(map(str, range(50)))
    for spec in ("TER", "WER", "CER"):
        (value,) = nlgauge.evaluate(candidates=[long], references=[["x"]], metrics=[spec]).values(spec)
        assert value >= 5000 and registry.metric(spec).limits["score"][1] == math.inf


@pytest.mark.parametrize(
    ("spec", "part", "limit"),
    [
        ("MoverScore(layers=1, idf='none')", "score", -1.0),
        ("MoverScore(layers=1, idf='none', aggregate='mean')", "score", -1.0),
        ("BERTScore(layer=1)", "precision", -1.0),
        ("BERTScore(layer=1)", "recall", -1.0),
        ("BaryScore(layers=1, idf='none')", "score", 4.0),
        ("BaryScore(layers=1, idf='none', distance='sinkhorn')", "score", 4.0),
        ("BaryScore(layers=1, idf='none', distance='sinkhorn_divergence')", "score", 4.0),
        ("BaryScore(layers=1, idf='none', distance='w2')", "score", 2.0),
        ("BaryScore(layers=1, idf='none', distance='w1')", "score", 2.0),
    ],
)
def test_opposite_vectors_reach_the_limit(spec: str, part: str, limit: float) -> None:
    metric = registry.metric(spec)
    ((*values,),) = metric.compare([(ONE, OTHER)], prepared(metric))  # type: ignore[attr-defined]
    assert limit in metric.limits[part]
    assert values[metric.parts.index(part)] == pytest.approx(limit, abs=1e-6)


@pytest.mark.parametrize("measure", ["fisher_rao", "l1", "l2", "linf", "jensen_shannon", "alpha"])
def test_distributions_that_share_nothing_reach_the_limit_of_their_measure(measure: str) -> None:
    alpha = {"alpha": 0.5} if measure == "alpha" else {}
    with np.errstate(divide="ignore"):
        one, other = np.log([1.0, 0.0]), np.log([0.0, 1.0])
    spec = f"InfoLM(measure={measure!r}{', alpha=0.5' if alpha else ''})"
    most = Measure(measure, **alpha)(one, other)
    assert registry.metric(spec).limits == {"score": (0.0, pytest.approx(most))}


def test_a_text_that_is_sure_has_the_perplexity_1() -> None:
    sure = Likelihood("so", np.zeros(3), np.zeros((3, 2), np.int32))
    assert _value(sure).parts == (1.0,) == registry.metric("Perplexity").limits["score"][:1]


BY_SPEC: Mapping[str, object] = {
    "BERTScore(rescale=True)": dict.fromkeys(("f1", "precision", "recall"), (-math.inf, 1.0)),
    "InfoLM(measure='kl')": {"score": (0.0, math.inf)},
    "MaskEval(scoring='log_probability')": {"score": (-math.inf, 0.0)},
    "MaskEval": {"score": SHARE},
    "Consistency(aligner='R')": {"score": ANY},
    "Consistency": {"score": SHARE},
    "Relevance": {"score": SHARE},
    "Relevance(aligner='R')": {"score": ANY},
    "Preservation": {"score": SHARE},
    "Groundedness": {"score": AMOUNT},
    "Groundedness(aligner='R')": {"score": ANY},
    "Engagingness": {"score": AMOUNT},
    "MeanAlignment": {"score": SHARE},
    "ReplyFit": {"score": (-1.0, 1.0)},
    "METEOR": {"score": SHARE},  # a penalty is left even for equal texts, the smaller the longer they are
    "SentenceMovers": {"score": SHARE},
    "WordMovers": {"score": AMOUNT},
    "BARTScore": {"score": (-math.inf, 0.0)},
    "MarkEvaluate": {
        **dict.fromkeys(("score", "quality", "diversity", "floor", "precision", "recall"), SHARE),
        **dict.fromkeys(("a", "b", "B1", "B2", "n", "m"), AMOUNT),
    },
    "PRD": dict.fromkeys(("f8", "f1_8", "precision", "recall"), SHARE),
    "ImprovedPrecisionRecall": {
        **dict.fromkeys(("precision", "recall", "coverage"), SHARE),
        "density": AMOUNT,
    },
    "FrechetDistance": dict.fromkeys(("score", "means", "covariances"), AMOUNT),
    "Faithfulness(then='base')": {
        **dict.fromkeys(("score", "least_stretch", "unsupported", "probability", "wording"), SHARE),
        "claims": (1.0, math.inf),
        "decided": (1.0, 2.0),
    },
    "Judge('http://127.0.0.1:8080/v1')": {"score": SHARE},
    "Column('q')": {},
}


@pytest.mark.parametrize("spec", BY_SPEC)
def test_limits_follow_the_parameters(spec: str) -> None:
    assert registry.metric(spec).limits == BY_SPEC[spec]


def test_a_judge_has_the_limits_of_its_scale(tmp_path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("{candidate}\n---\nHow good is it?\n")
    spec = f"Judge('http://127.0.0.1:8080/v1', prompt={str(prompt)!r}, values='1-5', repeat=3)"
    limits = registry.metric(spec).limits
    assert limits == {"score": (1.0, 5.0), "spread": (0.0, math.inf), "flips": (0.0, 0.5)}


def test_a_metric_of_somebody_else_need_not_declare_any() -> None:
    assert RowMetric.limits.__get__(registry.metric("Column('q')")) == {}  # type: ignore[attr-defined]
