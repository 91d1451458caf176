"""Numbers are found again by all that made them: nothing that was changed prints the number of before."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import nlgauge
from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.data.corpus import Corpus
from nlgauge.engine.models.loading import pocket_folder

ROWS = [{"candidate": "A cat sat there.", "references": ["The cat sat."]}]
PACKAGE = Path(nlgauge.__file__).parent


class Scored(NamedTuple):
    """What the command printed of one metric and one row."""

    value: float
    signature: str


@dataclass
class Place:
    """A copy of the library, rows, and a cache."""

    folder: Path

    def score(self, *arguments: str) -> Scored:
        """Score the row in a process of its own."""
        rows = self.folder / "rows.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "NLGAUGE_CACHE": str(self.folder / "cache")}
        command = [sys.executable, "-m", "nlgauge", "score", str(rows), *arguments, "--format", "json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed = json.loads(done.stdout)
        return Scored(printed["systems"][0]["mean"], *printed["signatures"].values())

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a source, as if long before any process began."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        os.utime(path, (time.time() - 3600,) * 2)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """With the library's source and the embedded model, which is the installed one itself."""
    copy = shutil.copytree(PACKAGE, tmp_path / "nlgauge", ignore=shutil.ignore_patterns("pocket", "__pycache__"))
    (copy / "engine" / "models" / "pocket").symlink_to(pocket_folder(), target_is_directory=True)
    for path in copy.rglob("*.py"):
        os.utime(path, (time.time() - 3600,) * 2)
    return Place(tmp_path)


def test_changed_scoring_source_is_computed_again_and_another_change_is_not(place: Place) -> None:
    before = place.score("-m", "Length")
    assert place.score("-m", "Length") == before
    place.edit("nlgauge/cli/score.py", "import annotations\n", "import annotations  # no scoring source\n")
    assert place.score("-m", "Length").signature == before.signature
    place.edit("nlgauge/metrics/simple.py", "return len(text.split())", "return 100 * len(text.split())")
    after = place.score("-m", "Length")
    assert after.value == 100 * before.value == place.score("-m", "Length", "--no-cache").value
    assert after.signature != before.signature
    place.edit("nlgauge/metrics/token_f1.py", "import re\n", "import re  # another metric\n")
    assert place.score("-m", "Length").signature != after.signature, "one digest stands for all scoring source"


def test_a_cached_feature_does_not_outlive_its_reader(place: Place) -> None:
    spec = "InfoLM(measure='l2')"
    before = place.score("-m", spec)
    place.edit("nlgauge/engine/features/masked.py", "shares.dtype.type(1 / temperature)", "shares.dtype.type(0.25)")
    after = place.score("-m", spec)
    assert after.value != before.value and after.signature != before.signature
    assert after.value == place.score("-m", spec, "--no-cache").value


METRIC = """
from dataclasses import dataclass
import nlgauge
from nlgauge.contract.base import Prepared, RowMetric, Value

@dataclass(frozen=True)
class Chars(RowMetric):
    columns = ("candidate",)

    def score_rows(self, rows, prepared, features):
        return [Value((FACTOR * len(row.candidate),)) for row in rows]

if __name__ == "__main__":
    table = nlgauge.evaluate(candidates=["abc"], metrics=[Chars()])
    print(table.values(Chars())[0])
"""


def test_two_scripts_with_a_class_of_one_name_share_no_scores(tmp_path: Path) -> None:
    printed = []
    for factor in ("1.0", "2.0", "1.0"):
        script = tmp_path / f"script_{factor}.py"
        script.write_text(METRIC.replace("FACTOR", factor), encoding="utf-8")
        os.utime(script, (time.time() - 3600,) * 2)
        environment = {**os.environ, "NLGAUGE_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
        )
        printed.append(float(done.stdout))
    assert printed == [3.0, 6.0, 3.0]


def scores_of(folder: Path, cache: Path) -> tuple[float, nlgauge.data.table.Signature | Any]:
    spec = f"BERTScore(model={str(folder)!r})"
    table = nlgauge.evaluate(Corpus.from_records(ROWS), metrics=spec, cache=cache)
    return float(table.values(spec)[0]), table.signatures[spec].facts


def test_a_model_with_another_graph_shares_nothing_with_the_one_that_it_was(tmp_path: Path) -> None:
    folder, cache = shutil.copytree(pocket_folder(), tmp_path / "copy"), tmp_path / "cache"
    before, facts = scores_of(folder, cache)
    graph, epsilon = folder / "encoder.onnx", struct.pack("<f", 1e-12)
    content = graph.read_bytes()
    assert content.count(epsilon) > 6
    graph.write_bytes(content.replace(epsilon, struct.pack("<f", 0.5)))
    after, others = scores_of(folder, cache)
    assert abs(after - before) > 0.01 and others["files"] != facts["files"]
    assert scores_of(pocket_folder(), cache)[0] == before == scores_of(pocket_folder(), tmp_path / "new")[0]


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "card.json", "document_frequencies.npy"])
def test_every_file_of_a_model_is_in_its_signature_and_its_pages_are_not(tmp_path: Path, name: str) -> None:
    from nlgauge.engine.models.folder import files_digest

    folder = shutil.copytree(pocket_folder(), tmp_path / "copy", ignore=shutil.ignore_patterns("*.safetensors"))
    before = files_digest(folder)
    assert before == files_digest(pocket_folder())
    (folder / "README.md").write_text("Another page.", encoding="utf-8")
    assert files_digest(folder) == before
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    assert files_digest(folder) != before


def test_what_cannot_be_named_is_scored_each_time_and_equal_to_nothing_else(tmp_path: Path) -> None:
    asked: list[str] = []

    @dataclass(frozen=True)
    class Local(RowMetric):
        def score_rows(self, rows: Any, prepared: Prepared, features: Any) -> list[Value]:
            asked.extend(row.candidate for row in rows)
            return [Value((1.0,)) for _ in rows]

    for _ in range(2):
        table = nlgauge.evaluate(Corpus.from_records(ROWS), metrics=Local(), cache=tmp_path / "cache")
    assert len(asked) == 2
    assert "nlgauge:" in str(table.signatures[str(Local())]) and "+?" in str(table.signatures[str(Local())])
