"""A checkpoint brings back weights, optimizer state, step and curve."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")

from nlgauge.lab.training.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402


def made(seed: int):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    model[0].weight.requires_grad_(False)
    return model, torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.1)


def learn(model, optimizer, steps: int) -> None:
    for step in range(steps):
        x = torch.full((2, 3), 0.1 * (step + 1))
        model(x).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_what_was_saved_goes_on_as_if_never_stopped(tmp_path):
    model, optimizer = made(0)
    learn(model, optimizer, 3)
    save_checkpoint(tmp_path, model, optimizer, 3, [{"step": 3, "loss": 0.5}])
    other, its = made(0)
    assert load_checkpoint(tmp_path, other, its) == (3, [{"step": 3, "loss": 0.5}])
    learn(model, optimizer, 2)
    learn(other, its, 2)
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_weights_that_do_not_learn_are_not_kept(tmp_path):
    model, optimizer = made(0)
    save_checkpoint(tmp_path, model, optimizer, 1, [])
    other, its = made(1)
    before = other[0].weight.clone()
    load_checkpoint(tmp_path, other, its)
    assert torch.equal(other[0].weight, before)
    assert torch.equal(other[1].weight, model[1].weight)


def test_an_empty_folder_has_none(tmp_path):
    assert load_checkpoint(tmp_path, *made(0)) is None
