"""The plugin: what a test of somebody else sees, and what it costs pytest to have it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from nlgauge import InputError
from nlgauge.adapters.pytest_plugin import assert_grounded
from tests.adapters.needed import example

SOURCE = "The bridge over the Orle was closed in March after cracks were found in two of its pillars."
FAITHFUL = "The bridge was closed in March after cracks were found."
INVENTED = "The bridge was closed in March and the mayor promised every family a new car."


def told(answer: str, source: object = SOURCE, **more: object) -> list[str]:
    with pytest.raises(AssertionError) as failed:
        assert_grounded(answer, source, **more)  # type: ignore[arg-type]
    return str(failed.value).splitlines()


def test_a_grounded_answer_passes_and_another_fails_with_its_words() -> None:
    assert_grounded(FAITHFUL, SOURCE, at_least=0.5)
    first, answer, *words = [line for line in told(INVENTED, at_least=0.5) if "compared with" not in line]
    assert first.startswith("Faithfulness probability: 0.") and first.endswith(" is below 0.5")
    assert answer == f"  answer: {INVENTED}"
    assert words
    for word in words:
        assert INVENTED.index(word.removeprefix("  not supported: ")) >= INVENTED.index("the mayor")


def test_documents_and_a_question_give_the_verdict_of_the_gate() -> None:
    @dataclass
    class Document:
        page_content: str

    documents = [Document("Lockers stand beside the entrance."), Document(SOURCE)]
    assert_grounded(FAITHFUL, documents, question="When was the bridge closed?")
    assert_grounded("The documents do not say who built the bridge.", documents, question="Who built the bridge?")
    lines = told(FAITHFUL.replace("March", "June"), documents, question="When was the bridge closed?")
    assert lines[0] == "contradicted: the source says something else"
    assert lines[2:5] == [
        "  question: When was the bridge closed?",
        "  answer: The bridge was closed in June after cracks were found.",
        "  difference: June: the source has March",
    ]
    assert f"  compared with: {SOURCE}" in lines
    assert told("Thank you!")[:2] == [
        "no claim: it claims nothing",
        "Faithfulness probability: nothing was checked",
    ]


@pytest.fixture
def installed() -> None:
    if not any(point.value == "nlgauge.adapters.pytest_plugin" for point in entry_points(group="pytest11")):
        pytest.skip("needs nlgauge installed with its entry points: make adapters")


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_project_of_its_own_uses_the_fixture(installed: None, tmp_path: Path) -> None:
    code, printed = example("pytest")
    (tmp_path / "test_answers.py").write_text(code, encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout
    assert printed in done.stdout.replace("E       ", "")
    assert "pytest_plugin.py" not in done.stdout.split("FAILURES")[1], "the failure is the test's, not the plugin's"
    assert "assert_grounded" in run(tmp_path, "--fixtures").stdout


def test_pytest_starts_with_nothing_heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # other plugins may import what they like
    (tmp_path / "test_light.py").write_text(
        "import sys\n\ndef test_light():\n    assert 'nlgauge.adapters.pytest_plugin' in sys.modules\n"
        "    heavy = {'numpy', 'onnxruntime', 'nlgauge.evaluation', 'nlgauge.registry'}\n"
        "    assert not heavy & sys.modules.keys()\n",
        encoding="utf-8",
    )
    done = run(tmp_path, "-p", "nlgauge.adapters.pytest_plugin")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("source", [None, [], (), {}])
def test_a_source_that_is_missing_is_said(source: object) -> None:
    with pytest.raises(InputError, match=r"source is (None|an empty \w+), and an answer is grounded in nothing"):
        assert_grounded(FAITHFUL, source)
