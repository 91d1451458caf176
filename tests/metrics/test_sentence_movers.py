import math

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from nlgauge.metrics.movers import SentenceMovers
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import pieces, prepared, row, scored, shown

A, B, C = [1.0, 0], [0, 1.0], [0.6, 0.8]
SENTENCES, BOTH = SentenceMovers(variant="sms"), SentenceMovers()


def value(metric, candidate, reference) -> float:
    ((number,),) = metric.compare([(candidate, reference)], prepared(metric))
    return number


def test_one_sentence_each_is_the_distance_of_their_means():
    similarity = value(SENTENCES, pieces("x y", [A, B]), pieces("z", [C]))
    assert similarity == pytest.approx(math.exp(-math.hypot(0.1, 0.3)))


def test_sentences_weigh_as_many_as_they_have_words():
    """'X y. Z.': two thirds of the mass at the mean of x and y, which is c's place, one third at z."""
    three = pieces("X y . Z .", [A, B, [9.0, 9], B, [9.0, 9]])
    place = [0.5, 0.5]
    similarity = value(SentenceMovers(variant="sms", unit=False), three, pieces("c", [place]))
    assert similarity == pytest.approx(math.exp(-math.hypot(0.5, 0.5) / 3))


def test_words_and_sentences_are_moved_together():
    """Half of the mass is that of words, half that of the one sentence, all of it goes to c."""
    similarity = value(BOTH, pieces("x y", [A, B]), pieces("c", [C]))
    cost = (math.hypot(0.4, 0.8) + math.hypot(0.6, 0.2)) / 4 + math.hypot(0.1, 0.3) / 2
    assert similarity == pytest.approx(math.exp(-cost))


def test_word_vectors_are_means_of_pieces_at_length_1_unless_told():
    one, other = pieces("un|do", [[4.0, 0], [0, 2.0]]), pieces("b", [[3.0, 0]])
    there = np.array([2, 1]) / math.sqrt(5)
    assert value(SENTENCES, one, other) == pytest.approx(math.exp(-np.linalg.norm(there - A)))
    raw = SentenceMovers(variant="sms", unit=False)
    assert value(raw, one, other) == pytest.approx(math.exp(-math.hypot(1, 1)))


@pytest.mark.parametrize("metric", [BOTH, SENTENCES], ids=str)
def test_identity_symmetry_and_order(metric):
    same, there, back, far = scored(
        metric,
        [row("w1 w2 w3", "w1 w2 w3"), row("w1 w2 w3", "w1 w2 w4"), row("w1 w2 w4", "w1 w2 w3"), row("w9", "w1 w2 w3")],
    )
    assert same.parts[0] == pytest.approx(1)
    assert there.parts[0] == pytest.approx(back.parts[0])
    assert far.parts[0] < there.parts[0] < same.parts[0]


def test_sentences_in_another_order_are_the_same():
    one = pieces("X y . Z .", [A, B, A, C, A])
    other = pieces("Z . X y .", [C, A, A, B, A])
    for metric in (BOTH, SENTENCES):
        assert value(metric, one, other) == pytest.approx(1)


def test_sentences_without_words_are_nothing():
    one, other = pieces("X . ! Y", [A, C, C, B]), pieces("X . Y", [A, C, B])
    assert value(SENTENCES, one, other) == pytest.approx(1)
    assert BOTH.unusable(pieces("! ? ¿", [A, B, C])) == "nothing but punctuation"
    assert BOTH.unusable(pieces("! x", [A, B])) is None


def test_the_layer_is_the_one_that_is_named_or_the_cards_or_the_last():
    model = FakeModel(card=ModelCard(layers={"SentenceMovers": 1}))
    assert prepared(SentenceMovers()).facts == {"layer": 3}
    assert prepared(SentenceMovers(), model=model).layer == 1
    assert prepared(SentenceMovers(layer=2), model=model).layer == 2


def test_parameters_outside_their_domain_are_refused():
    with pytest.raises(SpecError, match="variant='s' is not one of"):
        SentenceMovers(variant="s")


def test_evidence_is_the_plan():
    one = row("w1 w2 w3", "", "w9", "w2 w4 w3 w1")
    evidence = shown(BOTH, one)
    assert evidence["reference"] == 2, "counted among all of the row's references"
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    cost = sum(flow["share"] * flow["distance"] for flow in flows)
    assert math.exp(-cost) == pytest.approx(scored(BOTH, [one])[0].parts[0])
    assert {flow["candidate"]["text"] for flow in flows} == {"w1", "w2", "w3", "w1 w2 w3"}
    for flow in flows:
        for place, text in ((flow["candidate"], one.candidate), (flow["reference"], one.references[2])):
            assert text[place["begin"] : place["end"]] == place["text"]
    assert shown(BOTH, row("w1")) == {}


class SpacedModel(FakeModel):
    """The same words, of which a token holds the white space before it, as in GPT-2's and RoBERTa's vocabularies."""

    def __init__(self) -> None:
        super().__init__()
        found = Tokenizer(models.WordLevel(self._vocabulary(), unk_token="[UNK]"))
        parts = [
            pre_tokenizers.Split(Regex(r"\s"), "merged_with_next"),
            pre_tokenizers.ByteLevel(False, use_regex=False),
        ]
        found.pre_tokenizer = pre_tokenizers.Sequence(parts)
        found.add_special_tokens(WORDS[:5])
        found.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
        self.tokenizer = self.abilities[TOKENIZER] = SubwordTokenizer(found, "[MASK]", "[PAD]")

    @staticmethod
    def _vocabulary() -> dict[str, int]:
        spaced = {before + word: WORDS.index(word) for word in WORDS[5:] for before in ("Ġ", "Ċ")}
        return {word: i for i, word in enumerate(WORDS)} | spaced


def test_the_white_space_in_a_token_moves_no_word_to_another_sentence():
    rows = [row("w1 w2\nw3 w4\nw5", "w2 w1\nw3 w9")]
    (spaced,), (plain,) = (scored(SENTENCES, rows, model) for model in (SpacedModel(), FakeModel()))
    assert spaced.parts[0] == plain.parts[0]
