"""States of a text beside another: those of the row that holds both, or of the row that sees the other one."""

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.pair_states import PairStatesRequest, states_digest
from nlgauge.engine.models.capabilities import ENCODER
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel, PairsModel

LONG = " ".join(WORDS[5 + i % 40] for i in range(50))
IDS = {"w1 w2 w3": [6, 7, 8], "w5 w6 w7 w8": [10, 11, 12, 13]}


def states(model, *some):
    """The answers to requests that are asked together."""
    features = Engine(model).features(some)
    return [features[request] for request in some]


def test_states_are_those_of_the_row_that_holds_both():
    (text, own), (other, theirs) = IDS.items()
    model = FakeModel()
    first, second = states(model, PairStatesRequest(text, other), PairStatesRequest(text, other, False))
    for answer, row, place in (
        (first, [2, *own, 3, *theirs, 3], 1),
        (second, [2, *theirs, 3, *own, 3], 6),
    ):
        expected = model.hidden(np.array([row]), np.ones((1, len(row)), np.int64), [3])[0, 0]
        np.testing.assert_allclose(answer.states, expected[place : place + 3], atol=1e-6)
        assert answer.starts.tolist() == [0, 1, 2] and not answer.cut


def test_with_weights_for_pairs_states_are_those_of_the_row_that_sees_the_other_text():
    (text, own), (other, theirs) = IDS.items()
    model = PairsModel()
    (answer,) = states(model, PairStatesRequest(text, other))
    row = np.array([[2, *own, 3]])
    expected = model.pair_states(row, np.ones_like(row), model.other_text(np.array([2, *theirs, 3])))
    np.testing.assert_allclose(answer.states, expected[0, 1:4], atol=1e-6)


def test_states_of_long_texts_come_from_windows():
    for model in (FakeModel(), PairsModel()):
        (answer,) = states(model, PairStatesRequest(LONG, LONG))
        assert answer.states.shape == (50, 8) and np.isfinite(answer.states).all()
        assert answer.starts.tolist() == list(range(50)) and answer.cut


def test_the_other_text_is_read_once_for_all_its_texts():
    model = PairsModel()
    some = [PairStatesRequest(f"w{i} w3", LONG) for i in range(5)]
    engine = Engine(model)
    engine.features(some)
    assert model.others_seen == [16] and engine.ledger.passes == 6
    with pytest.raises(InputError, match="row 3"):
        Engine(PairsModel(), "error").check(some[:1], 3)


def test_of_nothing_there_is_no_answer_and_beside_nothing_no_state():
    for model in (FakeModel(), PairsModel()):
        nothing, beside_nothing = states(model, PairStatesRequest("", LONG), PairStatesRequest(LONG, ""))
        assert nothing is None
        assert beside_nothing.states.shape == (0, 8) and not len(beside_nothing.starts) and not model.rows_seen


def test_words_are_those_of_the_segmentation():
    pytest.importorskip("spacy", reason="needs nlgauge[maskeval]")
    plain, spacy = states(
        FakeModel(40), PairStatesRequest("w1 w2", "w3"), PairStatesRequest("w1 w2", "w3", segmentation="spacy")
    )
    assert plain.starts.tolist() == spacy.starts.tolist() == [0, 1]


def test_the_digest_is_that_of_the_weights_that_read():
    assert states_digest(FakeModel()) == "00" * 32
    assert states_digest(PairsModel()) == "cd" * 32


def test_a_model_that_gives_no_vectors_is_refused():
    model = FakeModel()
    model.abilities[ENCODER] = None
    with pytest.raises(SpecError, match="computes no token vectors"):
        states(model, PairStatesRequest("w1", "w2"))
