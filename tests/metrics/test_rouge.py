"""ROUGE: Google's rouge-score to the last digit, and what it cannot do: other scripts, references summed."""

from __future__ import annotations

import math
import random
from importlib.util import find_spec

import pytest

from nlgauge import SpecError
from nlgauge.data.corpus import Row
from nlgauge.metrics.rouge import ROUGE
from tests.metrics.strings import LINES, scored, value

needs_its_library = pytest.mark.skipif(not find_spec("rouge_score_rs"), reason="needs nlgauge[strings]")


@needs_its_library
@pytest.mark.parametrize("stemmer", [True, False])
@pytest.mark.parametrize("variant", ["1", "2", "3", "L", "Lsum"])
def test_numbers_are_those_of_googles_program(variant: str, stemmer: bool) -> None:
    theirs = pytest.importorskip("rouge_score.rouge_scorer", reason="needs the dependency group parity")
    tool = theirs.RougeScorer([f"rouge{variant}"], use_stemmer=stemmer)
    draw = random.Random(int(stemmer))
    vocabulary = ["the", "a", "cats", "running", "quickly", "evaluation", "3.14", "don't", "naïve", "\n", "flies", "-"]
    pairs = [
        (" ".join(draw.choices(vocabulary, k=draw.randint(5, 25))), " ".join(draw.choices(vocabulary, k=12)))
        for _ in range(60)
    ]
    found = scored(ROUGE(variant=variant, stemmer=stemmer), [Row(one, (other,)) for one, other in pairs])
    for got, (one, other) in zip(found, pairs, strict=True):
        wanted = tool.score(other, one)[f"rouge{variant}"]
        assert got.parts == pytest.approx((wanted.fmeasure, wanted.precision, wanted.recall), rel=1e-12)


@needs_its_library
def test_several_references() -> None:
    text, references = LINES[0]
    alone = [scored(ROUGE(), [Row(text, (reference,))])[0].parts for reference in references]
    assert scored(ROUGE(), [Row(text, references)])[0].parts == max(alone)
    mean = scored(ROUGE(references="mean"), [Row(text, references)])[0].parts
    assert mean == pytest.approx([sum(part) / 2 for part in zip(*alone, strict=True)])


@needs_its_library
@pytest.mark.parametrize(
    ("variant", "matches", "ours", "theirs"),
    # a b c d against a b x and c d a b y z: 2 and 4 words of 3 and 6; 1 and 2 pairs of 2 and 5; 2 and 2 in order.
    [("1", 6, 8, 9), ("2", 3, 6, 7), ("L", 4, 8, 9), ("Lsum", 4, 8, 9)],
)
def test_summed_over_references_as_rouge_1_5_5_does(variant: str, matches: int, ours: int, theirs: int) -> None:
    metric = ROUGE(references="sum", variant=variant)
    f, precision, recall = scored(metric, [Row("a b c d", ("a b x", "c d a b y z"))])[0].parts
    assert precision == pytest.approx(matches / ours)
    assert recall == pytest.approx(matches / theirs)
    assert f == pytest.approx(2 * matches / (ours + theirs))
    one = Row("a b c d", ("c d a b y z",))
    assert scored(metric, [one])[0].parts == pytest.approx(scored(ROUGE(variant=variant), [one])[0].parts)


@needs_its_library
def test_sentences_of_lsum() -> None:
    reference, turned = "A fox ran. The hen slept.", "The hen slept. A fox ran."
    assert value(ROUGE(variant="Lsum"), turned, reference) == pytest.approx(3 / 6)
    assert value(ROUGE(variant="Lsum", sentences="split"), turned, reference) == 1
    assert value(ROUGE(variant="Lsum"), turned.replace(". T", ".\nT"), reference.replace(". T", ".\nT")) > 0.5


@needs_its_library
def test_too_few_words_in_a_row() -> None:
    few, one_side, empty = scored(
        ROUGE(variant="2"), [Row("Yes.", ("No.",)), Row("Yes.", ("Oh yes.",)), Row("?", ("No.",))]
    )
    assert math.isnan(few.parts[0]) and few.reason == "neither text has enough words"
    assert one_side.parts == (0, 0, 0)
    assert empty.reason == "the candidate has no words"
    worst = scored(ROUGE(variant="2", empty="worst"), [Row("Yes.", ("No.",)), Row("?", ("No.",)), Row("Yes.")])
    assert [found.parts[0] for found in worst[:2]] == [0, 0]
    assert worst[1].notes == ("the candidate has no words: scored as worst",)
    assert worst[2].reason == "no reference"
    assert math.isnan(value(ROUGE(variant="2", references="sum"), "Yes.", "No.", "Oh."))


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(SpecError, match="English"):
        ROUGE(stemmer=True, tokenizer="unicode")
    with pytest.raises(SpecError, match="variant"):
        ROUGE(variant="W")


@needs_its_library
@pytest.mark.parametrize("variant", ["L", "Lsum"])
def test_texts_whose_subsequence_would_take_hours_have_a_reason(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.metrics.rouge._MOST_CELLS", 12)
    three, four = "one two three", "one two three four"
    near, far, both = scored(
        ROUGE(variant=variant), [Row(three, (four,)), Row(four, (four,)), Row(four, (four, three))]
    )
    assert near.parts[2] == 0.75 and near.reason is None
    assert math.isnan(far.parts[0]) and far.reason is not None and "too long: over 10,000,000,000 pairs" in far.reason
    assert both.parts[1] == 0.75 and both.reason is None
    (kept,) = scored(ROUGE(variant=variant, empty="worst"), [Row(four, (four,))])
    assert math.isnan(kept.parts[0]) and kept.reason == far.reason
    assert value(ROUGE(variant="1"), four, four) == 1
