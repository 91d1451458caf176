from dataclasses import replace
from types import SimpleNamespace
from weakref import WeakValueDictionary

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine import aligners
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.models.packing import PACKINGS
from nlgauge.errors import SpecError
from nlgauge.metrics.ctc import Consistency, Engagingness, Groundedness, MeanAlignment, Preservation, Relevance
from tests.engine.fake import FakeModel, Part, answers
from tests.metrics.pieces import prepared, scored, shown

ALL = (Consistency, Relevance, Preservation, Groundedness, Engagingness, MeanAlignment)
ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")


def value(metric, row, model=None):
    """The value of a row, which has one."""
    (one,) = scored(metric, [row], model)
    assert one.reason is None
    return one.parts[0]


def literal(text, others, layer=3):
    """Definition 3.1 by embedding matching, a token at a time."""
    requests = [VectorsRequest(one, (layer,)) for one in (text, *others)]
    own, *theirs = answers(FakeModel(), *requests)
    out = []
    for i in np.flatnonzero(~own.special):
        best = -2.0
        for other in theirs:
            for j in np.flatnonzero(~other.special):
                x, y = own.vectors[0, i].astype(float), other.vectors[0, j].astype(float)
                best = max(best, sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)))
        out.append(min(max(best, 0), 1))
    return np.array(out)


def reason(metric, **columns):
    """Why a row has no value; neither has it evidence then."""
    row = replace(ROW, **columns)
    (one,) = scored(metric, [row])
    assert np.isnan(one.parts).all()
    assert shown(metric, row) == {}
    return one.reason


def test_aspects_are_the_papers_formulas():
    y, x, c, refs = ROW.candidate, ROW.source, ROW.context, ROW.references
    y_x, x_y = literal(y, [x]).mean(), literal(x, [y]).mean()
    assert value(Consistency(), ROW) == pytest.approx(y_x)
    assert value(Relevance(), ROW) == pytest.approx(np.mean([literal(r, [y]).mean() for r in refs]) * y_x)
    assert value(Preservation(), ROW) == pytest.approx(2 * y_x * x_y / (y_x + x_y))
    assert value(Groundedness(), ROW) == pytest.approx(literal(y, [c]).sum())
    assert value(Engagingness(), ROW) == pytest.approx(literal(y, [c, x]).sum())
    assert value(MeanAlignment(), ROW) == pytest.approx(literal(y, [c, x]).mean())


def test_texts_without_words():
    for kind in ALL:
        assert reason(kind(), candidate="") == reason(kind(), candidate="?!") == "the candidate has no words"
    assert reason(Consistency(), source="?!") == "no words in the source"
    assert reason(Groundedness(), context=" ") == "no words in the context"
    assert reason(Engagingness(), context="", source="...") == "no words in the context and the source"
    assert reason(Relevance(), references=("", "?")) == "no reference has words"
    assert reason(Groundedness(), candidate="What is it about") == "the candidate has nothing but stop-words"
    assert value(Groundedness(stopwords=True), replace(ROW, candidate="of the")) > 0


@pytest.mark.parametrize("known", [{}, {2: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    with pytest.raises(SpecError, match="no baseline for layer 3: choose rescale='none'"):
        prepared(Consistency(rescale="token"), model=FakeModel(card=ModelCard(bertscore_baseline=known)))


YES, NO = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))


def test_a_trained_aligner_gives_every_word_its_own_confidence():
    rows = [ROW, replace(ROW, item="b", candidate="w3 w3")]
    first, second = scored(Consistency(aligner="D"), rows)
    assert first.parts[0] == pytest.approx((YES + NO + YES) / 3)
    assert second.parts[0] == pytest.approx(YES)
    (text,) = shown(Consistency(aligner="D"), ROW)["texts"]
    assert [word["alignment"] for word in text["words"]] == pytest.approx([YES, NO, YES])
    assert value(Groundedness(aligner="D"), ROW) == pytest.approx(NO + YES + NO)
    assert value(Engagingness(aligner="D"), ROW) == pytest.approx(3 * YES)
    covered = ((YES + NO) / 2 + (YES + 2 * NO) / 3) / 2
    assert value(Relevance(aligner="D"), ROW) == pytest.approx(covered * (YES + NO + YES) / 3)


def test_all_of_a_long_source_is_read_on_request():
    source = " \n ".join(f"{word} w10 w11 w12 w13" for word in ("w1", "w2", "w3", "w4"))  # rows have room for one
    row = replace(ROW, candidate="w1 w2 w3 w4", source=source)
    whole = Consistency(aligner="D", reading="windows")
    assert str(whole) == "Consistency(aligner='D', reading='windows')"
    assert value(whole, row) == pytest.approx(YES)
    assert value(Consistency(aligner="D"), row) == pytest.approx((YES + 3 * NO) / 4)
    assert value(Groundedness(aligner="R", reading="windows"), ROW) == pytest.approx(3 * 1 / 3)
    with pytest.raises(SpecError, match="reading is for aligner='D' or 'R'; leave it out"):
        Consistency(reading="windows")
    with pytest.raises(SpecError, match="reading='all' is not one of 'search', 'windows'"):
        Consistency(aligner="D", reading="all")


@pytest.mark.parametrize("aligner", ["D", "R"])
@pytest.mark.parametrize("kind", [Consistency, Groundedness, Engagingness, Preservation, Relevance])
def test_the_trained_aligners_read_whole_texts_as_the_papers_do(kind, aligner):
    # A question, thanks, a mark of a citation and a refusal: what is no claim is text as all other.
    said = ("Do w1 w2 w3?", "Thank you! w1 w2", "w1 w2 [1]", "The text does not say w1", "w1 w2 w3. w1 w2 w3.")
    for candidate in said:
        row = replace(ROW, candidate=candidate)
        metric = kind(aligner=aligner)
        known = prepared(metric, [row])
        asked = {request.text: request for request in metric.read_row(row, known).requests}
        assert set(asked) == {
            candidate,
            *({row.source} if kind is Preservation else ()),
            *(row.references if kind is Relevance else ()),
        }
        answers_it = replace(row, question="What is w1?")
        assert metric.read_row(answers_it, known).requests == list(asked.values())
        assert metric.parts == ("score",) and value(metric, row) == value(metric, answers_it)


def test_the_evidence_of_d_is_of_the_model_and_a_run_adds_what_exact_checks_find():
    row = replace(ROW, candidate="w1 w2 fell", source="w1 w2 rose", context="w1 w2 rose")
    for kind in (Consistency, Groundedness, Engagingness):
        evidence = shown(kind(aligner="D"), row, FakeModel(card=ModelCard(aligner_temperature=4.0)))["texts"][0]
        assert "reasons" not in evidence
        assert evidence["stretches"][0]["supported"] == pytest.approx(1 / (1 + np.exp(-3 / 4)))
    table = nlgauge.evaluate(
        Corpus((row,)), metrics=["Consistency(aligner='D')", "Preservation(aligner='D')"], evidence=True
    )
    for column in table.columns.values():
        texts = {text["name"]: text for text in column.evidence[0]["texts"]}
        assert [one["said"] for one in texts["candidate"]["reasons"]] == ["fell: the source has rose"]
        assert "reasons" not in texts.get("source", {})
    # A cached score is one of any question.
    asked = Row("No.", source="The library opens at nine.", question="Does the library open at nine?")
    table = nlgauge.evaluate(Corpus((asked,)), metrics="Consistency(aligner='D')", evidence=True, cache=False)
    assert "reasons" not in table.column("Consistency").evidence[0]["texts"][0]


def test_a_detector_that_judges_sentences_is_no_aligner_of_words(monkeypatch):
    detector = next(one for one in PACKINGS if not one.words and not one.regression)
    monkeypatch.setattr(aligners, "packer_of", lambda model: SimpleNamespace(packing=detector, name="nli"))
    with pytest.raises(SpecError, match="judges sentences, not words: take Faithfulness"):
        prepared(Consistency(aligner="D"))


class Even(FakeModel):
    """Every word is supported with the log-odds 0."""

    name, digest = "second", "22" * 32

    def align(self, ids, attend, side):
        logits, share, text, against = super().align(ids, attend, side)
        return np.zeros_like(logits), share, text, against


def test_relevance_takes_an_aligner_for_each_direction(monkeypatch):
    second = Even(32)
    second.abilities[ALIGNER] = Part(second, "ef" * 32)
    models = {"pocket": FakeModel(32), "second": second}
    monkeypatch.setattr(loading, "load", lambda name, *how: models[name])
    monkeypatch.setattr(loading, "_held", WeakValueDictionary())
    monkeypatch.setattr(loading, "_last", [])
    rows = [
        {"candidate": f"w1 w{number} w3", "source": source, "references": ["w5 w9", "w1 w3"]}
        for number, source in [(5, "w1 w3 w4"), (6, "w7 w8"), (7, "w1 w3 w9")]
    ]

    def values(spec):
        return nlgauge.evaluate(rows, metrics=spec, cache=False).values(spec).tolist()

    spec = "Relevance(aligner='D', models=('{}', '{}'), model='{}')"
    own = np.array(values("Consistency(aligner='D', model='pocket')"))
    assert values(spec.format("pocket", "second", "pocket")) == pytest.approx(own * 0.5)
    both = np.array(values("Relevance(aligner='D', model='pocket')"))
    assert values(spec.format("second", "pocket", "second")) == pytest.approx(both / own * 0.5)
    for wrong in ("models=('a',)", "aligner='D', models=('a',)", "aligner='D', models=('a', 'b'), model='c'"):
        with pytest.raises(SpecError, match="models"):
            nlgauge.evaluate(rows, metrics=f"Relevance({wrong})", cache=False)


@pytest.mark.parametrize("parameter", [{"layer": 2}, {"rescale": "token"}])
def test_what_belongs_to_embeddings_is_refused_elsewhere(parameter):
    with pytest.raises(SpecError, match="is for aligner='E'"):
        Consistency(aligner="D", **parameter)
