"""Deltas: what is written is read back to within half a step of eight bits; what did not change is not stored."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file

from nlgauge.engine.models.adaptation import DOWN, UP, read_delta, write_delta
from nlgauge.engine.models.folder import SCALE

BASE = {
    "matrix": np.arange(12, dtype=np.float16).reshape(3, 4),
    "vector": np.ones(4, np.float32),
    "same": np.full((2, 2), 0.5, np.float16),
}


def test_matrices_as_steps_vectors_whole_and_what_is_equal_not_at_all(tmp_path):
    path = tmp_path / "delta.safetensors"
    tuned = {
        "matrix": BASE["matrix"].astype(np.float32) + np.array([[0.127, -0.127, 0.001, 0], [0] * 4, [2.54] * 4]),
        "vector": np.array([1, 2, 3, 4], np.float32),
        "same": BASE["same"].astype(np.float32),
        "new": np.array([[7.0, 8.0]], np.float32),
    }
    write_delta(path, BASE, tuned)
    stored = load_file(path)
    assert set(stored) == {"matrix", "matrix" + SCALE, "vector", "new"}
    assert stored["matrix"].dtype == np.int8
    np.testing.assert_array_equal(stored["matrix"], [[127, -127, 1, 0], [0, 0, 0, 0], [127] * 4])
    np.testing.assert_allclose(stored["matrix" + SCALE][:, 0], [0.001, 0, 0.02], rtol=1e-5)
    back = read_delta(path, BASE)
    assert set(back) == {"matrix", "vector", "new"}
    np.testing.assert_allclose(back["matrix"], tuned["matrix"], atol=1e-6)
    np.testing.assert_array_equal(back["vector"], tuned["vector"])
    np.testing.assert_array_equal(back["new"], tuned["new"])


@given(hnp.arrays(np.float32, (3, 5), elements=st.floats(-4, 4, width=32)))
@settings(max_examples=40, deadline=None)
def test_the_error_is_half_a_step_of_the_row(tmp_path_factory, delta):
    path = tmp_path_factory.mktemp("delta") / "delta.safetensors"
    base = {"m": np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5)}
    tuned = {"m": base["m"] + delta}
    write_delta(path, base, tuned)
    back = read_delta(path, base).get("m", base["m"])
    step = np.abs(tuned["m"] - base["m"]).max(axis=1, keepdims=True) / 127
    assert (np.abs(back - tuned["m"]) <= step / 2 + 1e-6).all()
    assert back.dtype == np.float32


def test_a_delta_is_a_quarter_of_the_matrix(tmp_path):
    path = tmp_path / "delta.safetensors"
    base = {"m": np.zeros((384, 384), np.float32)}
    write_delta(path, base, {"m": np.random.default_rng(0).normal(size=(384, 384))})
    assert path.stat().st_size == pytest.approx(384 * 384 + 4 * 384, rel=0.01)


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


def test_in_8_bits_the_halves_and_matrices_that_the_base_lacks_are_steps(tmp_path):
    path, random = tmp_path / "delta.safetensors", np.random.default_rng(2)
    down, up = random.normal(size=(2, 4)).astype(np.float32), random.normal(size=(3, 2)).astype(np.float32)
    new = random.normal(size=(5, 7)).astype(np.float32)
    write_delta(path, BASE, {"new": new, "bias": new[0]}, low_rank={"matrix": (down, up)}, in_8_bits=True)
    stored = load_file(path)
    in_steps = {"new", "matrix" + DOWN, "matrix" + UP}
    assert {name for name, value in stored.items() if value.dtype == np.int8} == in_steps
    assert set(stored) == {"bias", *in_steps, *(name + ".scale" for name in in_steps)}
    back = read_delta(path, BASE)
    assert set(back) == {"new", "bias", "matrix"}
    np.testing.assert_array_equal(back["bias"], new[0])
    np.testing.assert_allclose(back["new"], new, atol=np.abs(new).max() / 250)
    np.testing.assert_allclose(back["matrix"], BASE["matrix"] + up @ down, atol=0.05)
