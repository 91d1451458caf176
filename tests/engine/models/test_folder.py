"""Digests of files, and a folder that others can read."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.models.folder import in_steps, read_weights, write_hugging_face
from nlgauge.errors import SpecError


def test_a_matrix_in_8_bits_is_read_to_within_half_a_step_of_its_row(tmp_path):
    matrix = np.array([[1.27, -0.63, 0.004], [0, 0, 0], [-2.54, 1, 0]], np.float32)
    steps, scale = in_steps(matrix)
    assert steps.dtype == np.int8 and scale.shape == (3, 1)
    np.testing.assert_array_equal(steps, [[127, -63, 0], [0, 0, 0], [-127, 50, 0]])
    half = np.array([[0.5, 0.25]], np.float16)
    path = tmp_path / "model.safetensors"
    save_file({"m": steps, "m.scale": scale, "half": half, "v": np.ones(2, np.float32)}, path)
    read = read_weights(path)
    assert set(read) == {"m", "half", "v"} and {value.dtype for value in read.values()} == {np.dtype(np.float32)}
    np.testing.assert_allclose(read["m"], matrix, atol=0.0101)
    np.testing.assert_array_equal(read["half"], half)


def test_a_network_that_hugging_face_does_not_have_is_not_exported(tmp_path):
    (tmp_path / "config.json").write_text('{"relative_attention_num_buckets": 32}')
    with pytest.raises(SpecError, match="uses relative positions"):
        write_hugging_face(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
