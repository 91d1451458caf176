"""Our network: kinds of relative positions by the paper's own steps, and what its parts take."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")

from nlgauge.engine.models.bert import Bert, attended, load_weights, relative_buckets  # noqa: E402
from tests.engine.models.small_bert import CONFIG  # noqa: E402

IDS = torch.tensor([[2, 9, 4, 12, 30, 3]])


def kind(distance, buckets):
    """T5's rule for one key at a distance from the query, one step after the other."""
    half = buckets // 2
    found = half if distance > 0 else 0
    distance = abs(distance)
    exact = half // 2
    if distance < exact:
        return found + distance
    steps = math.log(distance / exact) / math.log(128 / exact) * (half - exact)
    return found + min(half - 1, exact + int(steps + 1e-9))


@pytest.mark.parametrize("buckets", [8, 32])
def test_kinds_of_relative_positions_are_those_of_the_paper(buckets):
    kinds = relative_buckets(300, buckets)
    assert kinds.tolist() == [kind(distance, buckets) for distance in range(-299, 300)]
    assert kinds[299] == 0 and kinds.max() == buckets - 1
    assert kinds[299 - 3 : 299 + 4].tolist() == ([3, 2, 1, 0, 17, 18, 19] if buckets == 32 else [2, 2, 1, 0, 5, 6, 6])


def test_biases_are_those_of_key_less_query():
    torch.manual_seed(1)
    net = Bert(CONFIG)
    biases, table = net.relative(5), net.encoder.relative_attention_bias.weight
    assert biases.shape == (1, 2, 5, 5)
    for query in range(5):
        for key in range(5):
            torch.testing.assert_close(biases[0, :, query, key], table[kind(key - query, 8)])
    assert Bert({k: v for k, v in CONFIG.items() if not k.startswith("relative")}).relative(5) is None


def test_attention_written_out_is_the_fused_one():
    torch.manual_seed(2)
    q, k, v = (torch.randn(2, 3, 7, 8) for _ in range(3))
    bias = torch.randn(1, 3, 7, 7)
    out = attended(q.requires_grad_(), k, v, bias)
    with torch.no_grad():
        torch.testing.assert_close(attended(q, k, v, bias), out, atol=1e-5, rtol=1e-4)


def test_layers_may_be_left_out():
    torch.manual_seed(3)
    net = Bert(CONFIG).eval()
    ones = torch.ones_like(IDS)
    with torch.no_grad():
        states, fewer = net(IDS, ones), net(IDS, ones, layers=1)
    assert (len(states), len(fewer), len(Bert(CONFIG, 1).encoder.layer)) == (4, 2, 1)
    torch.testing.assert_close(fewer[1], states[1])


def test_weights_that_are_missing_or_fit_nowhere_are_named():
    net = Bert(CONFIG)
    weights = {name: value.numpy() for name, value in net.state_dict().items()}
    load_weights(net, {**weights, "pooler.bias": np.ones(2)}, leave=("pooler.",))
    with pytest.raises(ValueError, match=r"unknown: pooler\.bias"):
        load_weights(net, {**weights, "pooler.bias": np.ones(2)})
    del weights["embeddings.LayerNorm.bias"]
    with pytest.raises(ValueError, match=r"missing: embeddings\.LayerNorm\.bias"):
        load_weights(net, weights)
