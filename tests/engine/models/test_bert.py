"""Our network: kinds of relative positions by the paper's own steps, and what its parts take."""

import math

import pytest

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")

from nlgauge.engine.models.bert import attended, relative_buckets  # noqa: E402


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


def test_attention_written_out_is_the_fused_one():
    torch.manual_seed(2)
    q, k, v = (torch.randn(2, 3, 7, 8) for _ in range(3))
    bias = torch.randn(1, 3, 7, 7)
    out = attended(q.requires_grad_(), k, v, bias)
    with torch.no_grad():
        torch.testing.assert_close(attended(q, k, v, bias), out, atol=1e-5, rtol=1e-4)
