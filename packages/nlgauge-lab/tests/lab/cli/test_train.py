"""nlgauge train aligner on a few texts: examples of every task."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lab.training.weak_labels.pieces import RECORDS
from tests.command import nlgauge, refused
from tests.extras import english_pipeline

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytestmark = pytest.mark.usefixtures("one_model")
ROWS = {
    "summarization": [{"document": one.document * 2} for one in RECORDS],
    "reference": [{"reference": one.text} for one in RECORDS],
    "style": [{"document": one.document, "text": one.text} for one in RECORDS],
    "dialogue": [
        {"knowledge": one.document, "history": ["Tell me."], "response": one.document.split(". ")[0] + "."}
        for one in RECORDS
    ],
    "knowledge": [{"knowledge": one.document} for one in RECORDS],
    "document-reference": [{"document": one.document, "summary": one.text} for one in RECORDS],
}


def test_examples_of_every_task(tmp_path: Path) -> None:
    english_pipeline()
    run = ["train", "aligner", "--out", tmp_path / "out", "--attempts", 40, "--seed", 4, "--examples-only"]
    for task, rows in ROWS.items():
        (tmp_path / f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        run += ["--pairs", tmp_path / f"{task}.jsonl", "--task", task]
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'body = "pocket"\nseed = 1\n[examples]\nattempts = 40\nheld_out = 0.3\nheld_out_attempts = 4\n'
        "[settings]\nverbatim = 0.5\n[[source]]\n",
        encoding="utf-8",
    )
    result = nlgauge(*run, "--config", recipe)
    assert result.exit_code == 0, result.output
    folder = Path(result.stdout.strip().splitlines()[-1])
    lines = gzip.decompress((folder / "train.jsonl.gz").read_bytes()).decode().splitlines()
    assert {json.loads(line)["task"] for line in lines} == set(ROWS)
    assert '"verbatim": 0.5' in (folder / "README.md").read_text(encoding="utf-8")
    refused(*run, "--task", "style", say="6 --pairs and 7 --task: give a task for each")


NAMES = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou"]


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve items, a good and a bad output each."""
    path = tmp_path_factory.mktemp("rated") / "rated.jsonl"
    lines = []
    for name in NAMES:
        source = f"{name} went to the market on Monday and bought a basket of apples."
        for system, text, rating in (("good", f"{name} bought apples.", 5), ("bad", "The ship sank.", 1)):
            row = {"candidate": text, "text": source, "item": name, "system": system, "scores": {"truth": rating}}
            lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_from_ratings_to_scores(rated: Path, tmp_path: Path) -> None:
    result = nlgauge(
        *("train", "weighter", "--ratings", rated, "--map", "source=text", "--aspect", "truth", "--out", tmp_path),
        *("--scale", 1, 5, "--seed", 3),
    )
    assert result.exit_code == 0, result.output
    path = Path(result.stdout.strip())
    assert path == tmp_path / "truth.safetensors"
    card = json.loads(path.with_suffix(".json").read_text())
    assert card["trained_on"] == {"rows": 24, "items": 12, "scale": [1.0, 5.0]}
    assert card["settings"]["seed"] == 3 and card["metric"] == "MaskEval(stride=8)"
    spec = f"MaskEval(weights={str(path)!r}, keep=0.7, stride=8)"
    scored = nlgauge("score", rated, "--map", "source=text", "-m", spec, "--format", "json")
    assert scored.exit_code == 0, scored.output
    assert path.name in scored.stdout and "weighter:" in scored.stdout


def test_what_cannot_be_trained_is_refused(rated: Path, tmp_path: Path) -> None:
    run = ("train", "weighter", "--ratings", rated, "--out", tmp_path, "--map", "source=text")
    refused(*run, "--aspect", "beauty", say="no row is rated for 'beauty'")
    refused(*run, "--aspect", "truth", "-m", "InfoLM", say="InfoLM has no weighter")
    assert "--ratings" in nlgauge("train", "weighter", "--aspect", "truth").stderr


def test_pairs_and_texts_exclude_each_other(tmp_path: Path) -> None:
    refused("train", "masked-lm", "--out", tmp_path, say="give either --texts or --pairs")
    refused("train", "masked-lm", "--out", tmp_path, "--pairs", tmp_path / "absent", say="does not exist")


def test_from_dialogues_to_scores(tmp_path: Path) -> None:
    turns = [
        {
            "history": ["Hello!", f"How is {name} today?"],
            "response": f"{name} is well, thank you.",
            "origin": f"made:{name}:{turn}",
        }
        for name in NAMES
        for turn in range(4)
    ]
    dialogues = tmp_path / "dialogues.jsonl"
    dialogues.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    result = nlgauge("train", "replies", "--dialogues", dialogues, "--out", tmp_path / "out", "--epochs", 2)
    assert result.exit_code == 0, result.output
    path = Path(result.stdout.strip())
    card = json.loads(path.with_suffix(".json").read_text())
    held = card["held_out"]
    assert held["exchanges"] == 4 * held["conversations"] > 0
    assert card["trained_on"] == {"exchanges": 48 - held["exchanges"], "by origin": {"made": 48 - held["exchanges"]}}
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text(json.dumps({"candidate": "Ada is well.", "source": "Hello!\nHow is Ada?"}), encoding="utf-8")
    scored = nlgauge("score", outputs, "-m", f"ReplyFit(weights={str(path.parent)!r})", "--format", "json")
    assert scored.exit_code == 0, scored.output
    assert "replies:" in scored.stdout
    dialogues.write_text(json.dumps({"history": ["Hello!"], "response": "Hi."}), encoding="utf-8")
    refused("train", "replies", "--dialogues", dialogues, "--out", tmp_path / "few", say="too few to hold some")
