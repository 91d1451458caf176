"""BLEU, ChrF and TER: sacrebleu's numbers of rows and of systems, and its signature."""

from __future__ import annotations

import math
from typing import Any

import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.metrics.translation import BLEU, TER, ChrF
from tests.metrics.strings import LINES, rows, scored

library = pytest.importorskip("sacrebleu.metrics")
pytest.importorskip("rapidfuzz", reason="TER needs nlgauge[strings]")

PAIRS = [
    (BLEU(), {}),
    (
        BLEU(lowercase=True, tokenizer="intl", smooth="floor"),
        {"lowercase": True, "tokenize": "intl", "smooth_method": "floor"},
    ),
    (BLEU(smooth="add-k", ngram=3), {"smooth_method": "add-k", "max_ngram_order": 3}),
    (BLEU(smooth="floor", smooth_value=0.5), {"smooth_method": "floor", "smooth_value": 0.5}),
    (BLEU(smooth="add-k", smooth_value=2), {"smooth_method": "add-k", "smooth_value": 2}),
    (BLEU(smooth="none", tokenizer="char"), {"smooth_method": "none", "tokenize": "char"}),
    (ChrF(), {}),
    (ChrF(words=2, beta=3, lowercase=True), {"word_order": 2, "beta": 3, "lowercase": True}),
    (ChrF(words=2, eps_smoothing=True), {"word_order": 2, "eps_smoothing": True}),
    (TER(), {}),
    (
        TER(normalized=True, punctuation=False, asian=True, lowercase=False),
        {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
    ),
]
every_pair = pytest.mark.parametrize(("metric", "options"), PAIRS, ids=[str(metric) for metric, _ in PAIRS])


def tool(metric: Any, **options: Any) -> Any:
    return {"BLEU": library.BLEU, "ChrF": library.CHRF, "TER": library.TER}[type(metric).__name__](**options)


@every_pair
def test_rows_have_the_sentence_scores_of_sacrebleu(metric: Any, options: dict[str, Any]) -> None:
    theirs = tool(metric, **options, **({"effective_order": True} if isinstance(metric, BLEU) else {}))
    wanted = [theirs.sentence_score(text, list(references)).score for text, references in LINES]
    assert [found.parts[0] for found in scored(metric, rows())] == wanted  # to the last digit


@every_pair
def test_a_system_has_the_corpus_score_of_sacrebleu_and_its_signature(metric: Any, options: dict[str, Any]) -> None:
    lines = [*LINES, ("", ("An empty output counts.",))]
    table = nlgauge.evaluate(Corpus(tuple(rows(lines))), metrics=metric)
    most = max(len(references) for _, references in lines)
    theirs = tool(metric, **options)
    streams = [[(*references, *[None] * most)[n] for _, references in lines] for n in range(most)]
    wanted = theirs.corpus_score([text for text, _ in lines], streams).score
    (score,) = table.by_system()
    assert score.whole
    assert (score.n, score.undefined) == (len(lines), 0)
    assert score.mean == pytest.approx(wanted, rel=1e-12)
    assert score.low <= score.mean <= score.high
    assert str(theirs.get_signature()) in str(table.signatures[str(metric)])
    assert math.isnan(table.values(str(metric))[-1])


def test_a_system_of_texts_without_four_words_has_the_corpus_score_of_sacrebleu() -> None:
    lines = [("A cat sat.", ("A cat sat.",)), ("Rain.", ("It rained.",)), ("A dog", ("A dog ran.",))]
    table = nlgauge.evaluate(Corpus(tuple(rows(lines))), metrics=BLEU(ngram=6))
    theirs = library.BLEU(max_ngram_order=6).corpus_score([text for text, _ in lines], [[one for _, (one,) in lines]])
    assert table.by_system()[0].mean == pytest.approx(theirs.score, abs=1e-9)
    assert library.BLEU(max_ngram_order=6, effective_order=True).sentence_score(*lines[0]).score > theirs.score == 0


def test_what_cannot_be_said_and_the_worst_number() -> None:
    given = [Row("", ("A text.",)), Row("A text.", ("", " ")), Row("A text."), Row("A text.", ("", "A text."))]
    found = scored(BLEU(), given)
    assert [value.reason for value in found] == [
        "the candidate has no words",
        "no reference has words",
        "no reference",
        None,
    ]
    assert found[3].parts == pytest.approx((100.0,))
    assert found[3].notes == ("references without words left out",)
    assert [found[n].counts is None for n in range(3)] == [False, True, True]
    for metric, worst in ((BLEU(empty="worst"), 0), (ChrF(empty="worst"), 0), (TER(empty="worst"), 100)):
        numbers = [value.parts[0] for value in scored(metric, given)]
        assert numbers[:2] == [worst, worst]
        assert math.isnan(numbers[2])
