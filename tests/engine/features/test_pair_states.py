"""States of a text beside another: those of the row that holds both, or of the row that sees the other one."""

import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.pair_states import PairStatesRequest
from nlgauge.errors import InputError
from tests.engine.fake import WORDS, PairsModel

LONG = " ".join(WORDS[5 + i % 40] for i in range(50))


def states(model, *some):
    """The answers to requests that are asked together."""
    features = Engine(model).features(some)
    return [features[request] for request in some]


def test_the_other_text_is_read_once_for_all_its_texts():
    model = PairsModel()
    some = [PairStatesRequest(f"w{i} w3", LONG) for i in range(5)]
    engine = Engine(model)
    engine.features(some)
    assert model.others_seen == [16] and engine.ledger.passes == 6
    with pytest.raises(InputError, match="row 3"):
        Engine(PairsModel(), "error").check(some[:1], 3)
