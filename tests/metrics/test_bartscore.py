import numpy as np
import pytest

from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.likelihood import Seq2SeqRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.bartscore import BARTScore
from tests.engine.fake import CausalModel, Seq2SeqModel
from tests.metrics.pieces import prepared, scored, shown

ROWS = [
    Row("w1 w2 w3", ("w1 w2", "w4 w5 w6 w7"), "w3 w2 w1 w9"),
    Row("w8", ("w8",), "w8 w7"),
]


def mean_log(text, given):
    request = Seq2SeqRequest(text, given)
    return Engine(Seq2SeqModel()).features([request])[request].log_probabilities.mean()


def values(rows, **parameters):
    return scored(BARTScore(**parameters), rows, Seq2SeqModel())


def numbers(rows, **parameters):
    return [value.parts[0] for value in values(rows, **parameters)]


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


def test_what_is_read_depends_on_the_direction():
    assert BARTScore().columns == ("candidate", "source")
    assert {BARTScore(direction=one).columns for one in ("precision", "recall", "f")} == {("candidate", "references")}


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
    (value,) = values([row], direction=direction)
    assert np.isnan(value.parts[0]) and value.reason == reason
    assert shown(BARTScore(direction=direction), row, Seq2SeqModel()) == {}


def test_a_reference_without_words_is_left_out_and_noted():
    (value,) = values([Row("w1", ("w2", ""))], direction="precision")
    assert value.parts[0] == pytest.approx(mean_log("w1", "w2"))
    assert value.notes == ("references without words left out",)


def test_a_text_that_is_not_read_to_its_end_is_noted():
    long = " ".join(["w5"] * 15)  # the window is 16, two of them special tokens
    for row, direction in ((Row("w1", source=long), "faithfulness"), (Row(long, ("w1",)), "f")):
        (value,) = values([row], direction=direction)
        assert value.notes == ("a text that the model reads is longer than the window: only its beginning is read",)
    (value,) = values([Row(long, source="w1")])
    assert not value.notes, "what is asked for is read in windows"


def test_evidence_shows_every_token():
    record = shown(BARTScore(), ROWS[0], Seq2SeqModel())
    (text,) = record["texts"]
    assert (text["name"], text["against"]) == ("candidate", "source") and "reference" not in record
    assert [word["text"] for word in text["words"]] == ["", "w1", "w2", "w3", ""]
    mean = np.mean([word["log_probability"] for word in text["words"]])
    assert mean == pytest.approx(mean_log(ROWS[0].candidate, ROWS[0].source))


def test_evidence_is_of_the_best_reference_or_of_all():
    row = Row("w1 w2 w3", ("", "w4 w5 w6 w7", "w1 w2"))
    record = shown(BARTScore(direction="f"), row, Seq2SeqModel())
    best = max(
        (1, 2), key=lambda n: mean_log(row.candidate, row.references[n]) + mean_log(row.references[n], "w1 w2 w3")
    )
    assert record["reference"] == best
    assert [text["text"] for text in record["texts"]] == [row.candidate, row.references[best]]
    record = shown(BARTScore(direction="recall", references="mean"), row, Seq2SeqModel())
    assert [text["text"] for text in record["texts"]] == list(row.references[1:]) and "reference" not in record


def test_a_model_that_does_not_write_is_refused_with_the_remedy():
    for model in (None, CausalModel()):
        with pytest.raises(SpecError, match=r"'fake' is not an encoder-decoder model: choose one.*bart"):
            prepared(BARTScore(), model=model)
