"""From files and a recipe to a folder with an aligner."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

from safetensors.numpy import load_file, save_file

from lab.training.aligner_world import texts, write_body
from nlgauge.engine.models.adaptation import DOWN, UP, read_delta
from nlgauge.engine.models.capabilities import ALIGNER
from nlgauge.engine.models.folder import read_weights
from nlgauge.engine.models.loading import load
from nlgauge.errors import SpecError
from nlgauge_lab.training.aligner_run import train

RECIPE = 'body = "{}"\nseed = 3\n[shape]\nrow = 48\nstretch = 16\n{}[training]\nsteps = {}\nbatch_tokens = 200\n'


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    return write_body(tmp_path_factory.mktemp("body"))


def recipe_of(tmp_path, body, tables, steps):
    (tmp_path / "recipe.toml").write_text(RECIPE.format(body, tables, steps), encoding="utf-8")
    return tmp_path / "recipe.toml"


def write(path, rows):
    lines = [json.dumps({"source": r.source, "candidate": r.candidate, "spans": r.spans}) for r in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_file_of_ones_own_rows_is_enough(body, tmp_path):
    write(tmp_path / "mine.jsonl", texts(60, 1))
    recipe = recipe_of(tmp_path, body, "", 4)
    folder = train(tmp_path / "out", labelled=tmp_path / "mine.jsonl", config=recipe)
    card = (folder / "ALIGNER.md").read_text(encoding="utf-8")
    assert "| mine |" in card and "4 steps" in card and "probability of being supported" in card
    model = load(str(folder))
    assert ALIGNER in model and 0 < model.card.aligner_threshold < 1
    assert load_file(folder / "aligner.safetensors")["aligner.temperature"] > 0
    with pytest.raises(SpecError, match="nothing to learn from"):
        train(tmp_path / "other", config=recipe)


def test_an_aligner_reads_as_much_evidence_as_in_training(body, tmp_path):
    write(tmp_path / "mine.jsonl", texts(20, 1))
    recipe = recipe_of(tmp_path, body, "evidence = 2\n", 1)
    folder = train(tmp_path / "out", labelled=tmp_path / "mine.jsonl", config=recipe)
    assert load(str(body)).card.aligner_evidence == 0 and load(str(folder)).card.aligner_evidence == 2
    weights = load_file(folder / "aligner.safetensors")
    save_file({**weights, "aligner.evidence": np.array([2.5], np.float32)}, folder / "aligner.safetensors")
    with pytest.raises(SpecError, match="limit of evidence is no whole number"):
        load(str(folder))


def test_rows_are_constructed_by_the_recipe_and_labelled_ones_placed_among_other_passages(body, tmp_path):
    rows = [replace(row, spans=None) for row in texts(40, 1)]
    lines = [json.dumps({"source": r.source, "candidate": r.candidate, "supported": r.supported}) for r in rows]
    (tmp_path / "one.train.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    passage = " ".join(f"The w{n} was w{n + 1} in w{n + 2} before w{n + 3}." for n in range(30))
    (tmp_path / "a.txt").write_text("\n".join(f"{passage} w{n} is w1." for n in range(9)), encoding="utf-8")
    tables = (
        '[[labelled]]\nfiles = "one.train*"\ntimes = 2\namong = 0.5\nedited = 0.5\ntogether = 0.5\n'
        '[support]\nrows = 30\nheld_rows = 10\nheld_out = 0.2\n[[support.passages]]\nfiles = "a*"\n'
        "[support.mixture]\nedited = 0.6\n"
    )
    recipe = recipe_of(tmp_path, body, tables, 2)
    out = tmp_path / "out"
    folder = train(out, labelled=tmp_path, pairs=[tmp_path], config=recipe)
    card = (folder / "ALIGNER.md").read_text(encoding="utf-8")
    assert "| support |" in card and "| one.train |" in card
    (point,) = [json.loads(line) for line in (out / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    assert point["tokens"] > 0 and "contradicted" in point["support"]
    assert "aligner.against_outer.weight" in load_file(folder / "aligner.safetensors")
    with pytest.raises(SpecError, match="one folder of --pairs"):
        train(tmp_path / "other", pairs=[tmp_path / "a.txt"], config=recipe)


def test_no_source_of_a_set_that_is_held_out_is_trained_on(body, tmp_path):
    known = texts(30, 1)
    write(tmp_path / "one.train.jsonl", known)
    write(tmp_path / "two.dev.jsonl", [*texts(5, 2), *known[:12]])
    sets = '[[labelled]]\nfiles = "one.train*"\n[[held]]\nfiles = "two.dev*"\n'
    recipe = recipe_of(tmp_path, body, sets, 2)
    card = (train(tmp_path / "out", labelled=tmp_path, config=recipe) / "ALIGNER.md").read_text(encoding="utf-8")
    (line,) = (line for line in card.splitlines() if line.startswith("| one.train |"))
    assert line.split("|")[2].strip() == "18"


@pytest.mark.parametrize("rank", [0, 4])
def test_a_recipe_can_keep_a_share_of_the_aligner_before(body, tmp_path, rank):
    write(tmp_path / "mine.jsonl", texts(60, 1))
    recipe = 'start = "{}"\n' + RECIPE.format("{}", "", "{}") + f"rank = {rank}\nbody_rate = 0.01\nhead_rate = 0.01\n"

    def trained(name, begin, start, rest=""):
        file = tmp_path / f"{name}.toml"
        file.write_text(recipe.format(start, begin, 6) + rest, encoding="utf-8")
        return train(tmp_path / name, labelled=tmp_path / "mine.jsonl", config=file)

    before = trained("before", body, "body")
    stored = load_file(before / "aligner.safetensors")
    against = {name for name in stored if "against" in name}
    save_file({name: stored[name] for name in stored.keys() - against}, before / "aligner.safetensors")
    after = trained("after", before, "aligner")
    mean = f'[mean]\nof = "{before}"\nshare = 0.25\nquestion = false\n'
    kept = trained("kept", before, "aligner", mean)
    again = trained("kept", before, "aligner", mean)
    base = read_weights(body / "model.safetensors")

    def weights(folder):
        """Whole weights, and the factors of those that learn a difference of low rank."""
        file = folder / "aligner.safetensors"
        factors = {name: value for name, value in read_weights(file).items() if name.endswith((DOWN, UP))}
        return {name: v for name, v in read_delta(file, base).items() if name + DOWN not in factors} | factors

    first, last, found = (weights(folder) for folder in (before, after, kept))
    assert any(name.endswith(UP) for name in found) == bool(rank)
    assert "aligner.question" in last and "aligner.question" not in found
    for name in found.keys() - {"aligner.threshold", "aligner.temperature"}:
        wanted = last[name] if name in against else 0.25 * first[name] + 0.75 * last[name]
        # A step of a stored difference is its row's largest entry by 127.
        np.testing.assert_allclose(found[name], wanted, atol=2 / 127 * np.abs(wanted).max() + 1e-6, err_msg=name)
    for name, value in load_file(again / "aligner.safetensors").items():
        np.testing.assert_array_equal(value, load_file(kept / "aligner.safetensors")[name])
    points = [json.loads(line) for line in (tmp_path / "kept" / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(points) == 2 and points[0]["mine"] != points[1]["mine"]
