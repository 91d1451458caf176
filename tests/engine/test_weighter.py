"""Weighters as files: what is written is read, and what does not fit the model is refused."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.features.pair_states import states_digest
from nlgauge.engine.weighter import Weighter, read_weighter, write_weighter
from nlgauge.errors import SpecError
from tests.engine.fake import FakeModel, PairsModel

WEIGHT = np.linspace(-1, 1, 8).astype(np.float32)


def written(path, model, share=0.3):
    write_weighter(path, Weighter(WEIGHT, share, states_digest(model), "fluency"))
    return path


def test_what_does_not_fit_is_refused(tmp_path):
    path = written(tmp_path / "weighter.safetensors", PairsModel())
    with pytest.raises(SpecError, match="states of another model than 'fake'"):
        read_weighter(str(path), FakeModel())
    save_file({"weight": WEIGHT[:3], "share": np.zeros(1)}, path, metadata={"states": states_digest(FakeModel())})
    with pytest.raises(SpecError, match="states of another model"):
        read_weighter(str(path), FakeModel())
    path.write_bytes(b"no tensors")
    with pytest.raises(SpecError, match="holds no learned token weights"):
        read_weighter(str(path), FakeModel())
    save_file({"bias": WEIGHT}, path)
    with pytest.raises(SpecError, match="holds no learned token weights"):
        read_weighter(str(path), FakeModel())
