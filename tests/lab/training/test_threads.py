"""Torch's threads are as before once training ends, however it ends."""

import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")

from nlgauge.lab.training.threads import torch_threads  # noqa: E402


def test_threads_are_those_asked_for_and_then_those_from_before():
    before = torch.get_num_threads()
    with torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    with pytest.raises(KeyError), torch_threads(before + 1):
        raise KeyError
    assert torch.get_num_threads() == before
