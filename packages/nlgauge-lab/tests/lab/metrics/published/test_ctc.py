"""CTC's aspects as the published code computes them: pieces, special tokens, negative cosines, zeros."""

import numpy as np

from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge_lab.metrics.published.ctc import (
    Preservation,
)
from tests.engine.fake import FakeModel
from tests.metrics.pieces import pieces, prepared, scored

ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")


def value(metric, row, model=None):
    """The value of a row, which has one."""
    (one,) = scored(metric, [row], model)
    assert one.reason is None
    return one.parts[0]


def literal(text, other):
    """Definition 3.1 by embedding matching, a token at a time, special tokens of the other text included."""
    requests = [VectorsRequest(one, (3,)) for one in (text, other)]
    features = Engine(FakeModel()).features(requests)
    own, theirs = (features[request] for request in requests)
    out = []
    for x in own.vectors[0, ~own.special].astype(float):
        out.append(max(sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)) for y in theirs.vectors[0].astype(float)))
    return np.array(out)


def by_hand(metric, candidate, source):
    """Value and reason of a row whose texts have tokens by hand; context and source are the same."""
    row = Row(candidate.text, (), source.text, source.text)
    features = Features({VectorsRequest(one.text, (3,)): one for one in (candidate, source)})
    (one,) = metric.score_rows([row], prepared(metric, [row]), features)
    return one.parts[0], one.reason


def test_directions_that_cancel_each_other_have_no_value():
    # Cosines of exactly 1/4 and -3/4: P is 1/4 and R their mean, -1/4.
    texts = (
        pieces("w1", [[1, 0, 0, 0, 0, 0, 0]]),
        pieces("w2 w3", [[1, 1, 1, 1, 2, 2, 2], [-3, 1, 1, 1, 2, 0, 0]]),
    )
    number, reason = by_hand(Preservation(), *texts)
    assert np.isnan(number) and reason == "the two directions cancel out"
