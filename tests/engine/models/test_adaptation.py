"""Deltas: what is written is read back to within half a step of eight bits; what did not change is not stored."""

import numpy as np
from safetensors.numpy import load_file

from nlgauge.engine.models.adaptation import DOWN, UP, read_delta, write_delta

BASE = {
    "matrix": np.arange(12, dtype=np.float16).reshape(3, 4),
    "vector": np.ones(4, np.float32),
    "same": np.full((2, 2), 0.5, np.float16),
}


def test_a_difference_of_low_rank_is_the_product_of_its_halves(tmp_path):
    path, random = tmp_path / "delta.safetensors", np.random.default_rng(2)
    down, up = random.normal(size=(1, 4)).astype(np.float32), random.normal(size=(3, 1)).astype(np.float32)
    write_delta(
        path, BASE, {"matrix": BASE["matrix"] + 1, "vector": BASE["vector"] + 1}, low_rank={"matrix": (down, up)}
    )
    stored = load_file(path)
    assert set(stored) == {"matrix" + DOWN, "matrix" + UP, "vector"} and stored["matrix" + UP].dtype == np.float16
    back = read_delta(path, BASE)
    assert set(back) == {"matrix", "vector"} and back["matrix"].dtype == np.float32
    np.testing.assert_allclose(back["matrix"], BASE["matrix"] + up @ down, atol=4e-3)
