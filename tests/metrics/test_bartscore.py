from nlgauge.data.corpus import Row
from nlgauge.engine.features.likelihood import Seq2SeqRequest
from nlgauge.metrics.bartscore import BARTScore
from tests.engine.fake import Seq2SeqModel, answers
from tests.metrics.pieces import shown


def mean_log(text, given):
    return answers(Seq2SeqModel(), Seq2SeqRequest(text, given))[0].log_probabilities.mean()


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
