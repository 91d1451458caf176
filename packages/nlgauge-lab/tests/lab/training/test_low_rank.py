"""Layers of low rank: where they begin, what learns, and what is stored."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from torch import nn  # noqa: E402

from nlgauge.engine.models.adaptation import read_delta, write_delta  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge_lab.training.low_rank import learned, load_learned, make_low_rank  # noqa: E402


def network() -> nn.Module:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Sequential(nn.GELU(), nn.Linear(8, 5)))


@pytest.mark.parametrize(("in_8_bits", "near"), [(False, 1e-3), (True, 3e-2)])
def test_what_it_learned_is_stored_and_read_back(tmp_path, in_8_bits, near):
    net, x = network(), torch.randn(4, 6)
    base = {name: value.numpy().copy() for name, value in net.state_dict().items()}
    make_low_rank(net, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(20):
        loss = (net(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    whole, pairs = learned(net)
    assert set(pairs) == {"0.weight", "2.1.weight"} and set(whole) == {"0.bias", "1.weight", "1.bias", "2.1.bias"}
    write_delta(tmp_path / "a.safetensors", base, whole, pairs, in_8_bits)
    dense = network()
    tuned = read_delta(tmp_path / "a.safetensors", base)
    dense.load_state_dict({name: torch.from_numpy(np.asarray(tuned[name])) for name in base})
    torch.testing.assert_close(dense(x), net(x), atol=near, rtol=near)
    again = network()
    make_low_rank(again, 2)
    assert load_learned(again, tmp_path / "a.safetensors", base) == set()
    torch.testing.assert_close(again(x), net(x), atol=near, rtol=near)
    other = network()
    make_low_rank(other, 3)
    with pytest.raises(InputError, match="rank 2"):
        load_learned(other, tmp_path / "a.safetensors", base)


def test_a_whole_network_takes_a_difference_of_low_rank(tmp_path):
    net = network()
    base = {name: value.numpy().copy() for name, value in net.state_dict().items()}
    down, up = np.ones((1, 6), np.float32), np.full((8, 1), 0.5, np.float32)
    write_delta(tmp_path / "a.safetensors", base, {"other": np.ones(2, np.float32)}, {"0.weight": (down, up)})
    assert load_learned(net, tmp_path / "a.safetensors", base) == {"other"}
    np.testing.assert_allclose(net[0].weight.detach().numpy(), base["0.weight"] + 0.5, rtol=1e-6)
