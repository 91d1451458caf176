"""The notebooks run from start to end, on the embedded model, and show what their texts speak of.

They are kept without outputs: what a notebook shows changes with every model, and the pages of docs/ show the same
numbers, which a test compares.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
SHOWN = {
    "compare_summarisers": ["concise", "better", "autumn", "report.html"],
    "grounded_rag": ["opening", "parking", "stopped", "five"],
    "metric_and_raters": ["pooled  Relevance", "complete"],
}
"""What has to stand among the outputs"""


def test_every_notebook_has_its_line_here_and_is_kept_without_outputs() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)
    for path in NOTEBOOKS:
        code = [one for one in json.loads(path.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code), path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# What zmq and asyncio warn of is not ours to mend.
@pytest.mark.filterwarnings("default")
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the dependency group notebooks")
    client = pytest.importorskip("nbclient", reason="needs the dependency group notebooks")
    pytest.importorskip("ipykernel", reason="needs the dependency group notebooks")
    pytest.importorskip("pandas", reason="needs the dependency group notebooks")
    shutil.copytree(path.parents[1] / "examples", tmp_path / "examples")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setenv("NLGAUGE_CACHE", "off")
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path / "notebooks")}}
    client.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    shown = json.dumps([cell.get("outputs", []) for cell in notebook.cells if cell.cell_type == "code"])
    for text in SHOWN[path.stem]:
        assert text in shown, f"{path.name} does not show {text!r}"
