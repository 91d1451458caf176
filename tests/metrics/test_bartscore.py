import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import WrittenRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.bartscore import BARTScore
from tests.engine.fake import WritingModel

ROWS = [
    Row("w1 w2 w3", ("w1 w2", "w4 w5 w6 w7"), "w3 w2 w1 w9"),
    Row("w8", ("w8",), "w8 w7"),
]


def scored(rows, **parameters):
    engine, corpus = Engine(WritingModel(writes="from another text")), Corpus(tuple(rows))
    scorer = BARTScore(**parameters).scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(row) for row in rows])
    return scorer.score(rows, features), [scorer.evidence(row, features) for row in rows]


def mean_log(text, given):
    (found,) = Engine(WritingModel(writes="from another text")).features([(text, WrittenRequest(given))])
    return found.log_probabilities.mean()


def numbers(rows, **parameters):
    return [value.parts[0] for value in scored(rows, **parameters)[0]]


def test_each_direction_asks_for_one_text_from_the_other():
    row = ROWS[0]
    precision = [mean_log(row.candidate, reference) for reference in row.references]
    recall = [mean_log(reference, row.candidate) for reference in row.references]
    assert numbers([row]) == pytest.approx([mean_log(row.candidate, row.source)])
    assert numbers([row], direction="precision") == pytest.approx([max(precision)])
    assert numbers([row], direction="recall", references="mean") == pytest.approx([np.mean(recall)])
    both = np.add(precision, recall) / 2
    assert numbers([row], direction="f") == pytest.approx([both.max()])
    assert len({round(x, 6) for x in [*precision, *recall, mean_log(row.candidate, row.source)]}) == 5


def test_rows_in_any_company_keep_their_values():
    alone = [numbers([row], direction="f")[0] for row in ROWS]
    assert numbers(ROWS[::-1], direction="f")[::-1] == pytest.approx(alone)


@pytest.mark.parametrize(
    ("row", "direction", "reason"),
    [
        (Row("w1"), "faithfulness", "no source"),
        (Row("w1", source="w2"), "recall", "no reference"),
        (Row("", source="w2"), "faithfulness", "the candidate or every source has no words"),
        (Row("w1", ("", " ")), "f", "the candidate or every reference has no words"),
    ],
)
def test_what_cannot_be_asked_has_no_value(row, direction, reason):
    ((value,), (evidence,)) = scored([row], direction=direction)
    assert np.isnan(value.parts[0]) and value.reason == reason
    assert not evidence["written"]


def test_a_reference_without_words_is_left_out_and_noted():
    ((value,), _) = scored([Row("w1", ("w2", ""))], direction="precision")
    assert value.parts[0] == pytest.approx(mean_log("w1", "w2")) and value.notes


def test_a_text_that_is_not_read_to_its_end_is_noted():
    long = " ".join(["w5"] * 15)  # the window is 16, two of them special tokens
    for row, direction in ((Row("w1", source=long), "faithfulness"), (Row(long, ("w1",)), "f")):
        ((value,), _) = scored([row], direction=direction)
        assert value.notes == ("a text to write from is longer than the window: only its beginning is read",)
    ((value,), _) = scored([Row(long, source="w1")])
    assert not value.notes, "what is asked for is read in windows"


def test_evidence_shows_every_token():
    _, (evidence, _) = scored(ROWS)
    (written,) = evidence["written"]
    assert [token["text"] for token in written["tokens"]] == ["", "w1", "w2", "w3", ""]
    mean = np.mean([token["log_probability"] for token in written["tokens"]])
    assert mean == pytest.approx(mean_log(ROWS[0].candidate, ROWS[0].source))


@pytest.mark.usefixtures("one_model")
def test_a_model_that_does_not_write_is_refused_with_the_remedy():
    with pytest.raises(SpecError, match=r"BARTScore needs a model with an encoder and a decoder.*bart"):
        nlgauge.evaluate(candidates=["a"], sources=["a"], metrics="BARTScore")
