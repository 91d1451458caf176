"""What `import nlgauge` offers, and what it does not load to do so."""

from __future__ import annotations

import ast
import importlib
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import nlgauge
from nlgauge import registry
from nlgauge.errors import InputError, NlgaugeError, SpecError


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)


def test_all_names_what_the_module_offers() -> None:
    eager = {
        name
        for name, thing in vars(nlgauge).items()
        if not (name.startswith("_") or isinstance(thing, ModuleType))
        and getattr(thing, "__module__", "").startswith("nlgauge")
    }
    metrics = {name for name in registry.built_in_metrics() if name.isidentifier()}
    assert set(nlgauge.__all__) == eager | set(nlgauge._HOMES) | metrics | {"__version__"}
    assert len(nlgauge.__all__) == len(set(nlgauge.__all__))


@pytest.mark.parametrize("name", nlgauge.__all__)
def test_every_public_name_resolves_to_a_thing_and_not_to_a_module(name: str) -> None:
    thing = getattr(nlgauge, name)
    assert not isinstance(thing, ModuleType)
    if name != "__version__":
        assert thing.__name__ == name


def test_every_error_is_public() -> None:
    errors = importlib.import_module("nlgauge.errors")
    own = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, NlgaugeError)}
    assert own <= set(nlgauge.__all__)


def test_metrics_are_attributes_and_listed() -> None:
    assert nlgauge.InfoLM(measure="ab", alpha=3, beta=0.25).alpha == 3
    for name, kind in registry.built_in_metrics().items():
        assert getattr(nlgauge, name) is kind
        assert name in dir(nlgauge)
    assert set(nlgauge.__all__) <= set(dir(nlgauge))


def test_editors_and_type_checkers_see_every_metric_and_the_same_ones() -> None:
    """What is imported where TYPE_CHECKING is true, as tests/typed.py is checked by; mypy checks that it is there."""
    tree = ast.parse(Path(nlgauge.__file__).read_text(encoding="utf-8"))
    (block,) = (one for one in tree.body if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING")
    seen = {name.name: one.module for one in block.body if isinstance(one, ast.ImportFrom) for name in one.names}
    assert set(seen) == set(nlgauge.__all__) - set(vars(importlib.import_module("nlgauge.errors"))) - {"__version__"}
    assert seen == {name: f"nlgauge.{home}" for name, home in nlgauge._HOMES.items()} | {
        name: kind.__module__ for name, kind in registry.built_in_metrics().items() if name.isidentifier()
    }


def test_metrics_are_listed_however_the_folder_of_that_name_was_come_by() -> None:
    assert nlgauge.metrics() == registry.names() and "InfoLM" in set(nlgauge.metrics())
    assert python("import nlgauge; print(nlgauge.metrics()[0])").stdout.split() == ["BARTScore"]
    code = "from nlgauge.metrics.simple import Length; import nlgauge; print('Length' in nlgauge.metrics())"
    assert python(code).stdout.split() == ["True"]


@pytest.mark.usefixtures("one_model")
def test_one_row_is_scored() -> None:
    record = {
        "candidate": "A cat sat.",
        "references": ["The cat sat."],
        "source": "A cat sat there.",
        "question": "Who?",
    }
    for spec in ("BERTScore", "Consistency", "TokenF1"):
        found = nlgauge.score(spec, **record)
        table = nlgauge.evaluate([record], metrics=spec, cache=False)
        assert found.parts == pytest.approx(table.column(spec).values[0].tolist(), abs=1e-6)
        assert float(found) == found.parts[0] and found.reason is None
    empty = nlgauge.score("TokenF1", "", "A cat.")
    assert math.isnan(float(empty)) and empty.reason
    with pytest.raises(InputError, match="references"):
        nlgauge.score(nlgauge.TokenF1(), "A cat.")
    for metric in (nlgauge.MarkEvaluate(), nlgauge.CIDEr()):
        with pytest.raises(SpecError, match="depends on the other rows"):
            nlgauge.score(metric, "A cat.", "A cat.")
    with pytest.warns(DeprecationWarning, match=r"use nlgauge\.score"):
        assert float(nlgauge.TokenF1().score("A cat.", references="A cat.")) == 1


@pytest.mark.parametrize("name", ["Nonsense", "nonsense", "infolm", "_private", "InfoLMScorer", ""])
def test_an_unknown_attribute_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(nlgauge, name)


def test_importing_nlgauge_loads_nothing_heavy() -> None:
    code = (
        "import sys, nlgauge; print(nlgauge.__version__);"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'numpy', 'onnxruntime', 'tokenizers', 'click', 'tqdm', 'safetensors', 'msgspec', 'pandas', 'pyarrow',"
        " 'torch'}))"
    )
    done = python(code)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [nlgauge.__version__, "[]"]


def test_a_metric_of_strings_loads_no_engine_and_no_other_metric() -> None:
    unneeded = {"tokenizers", "onnxruntime", "tqdm", "nlgauge.engine.engine", "nlgauge.metrics.infolm"}
    code = (
        "import sys, nlgauge;"
        "nlgauge.evaluate(candidates=['A cat.'], references=['A cat.'], metrics='TokenF1', cache=False);"
        f"print(sorted({unneeded!r} & set(sys.modules)))"
    )
    done = python(code)
    assert done.stdout.splitlines() == ["[]"], done.stderr


def test_a_row_of_strings_by_the_command_loads_no_store_no_statistics_and_no_other_command(tmp_path: Path) -> None:
    row = tmp_path / "row.jsonl"
    row.write_text('{"candidate": "A cat.", "references": ["A cat."]}\n', encoding="utf-8")
    unneeded = {"sqlite3", "nlgauge.run.store", "nlgauge.run.sets", "nlgauge.stats", "nlgauge.cli.check"}
    code = (
        "import sys; from click.testing import CliRunner; from nlgauge.cli import main;"
        f"print(CliRunner().invoke(main, ['score', {str(row)!r}, '-m', 'TokenF1', '--no-cache']).exit_code);"
        f"print(sorted({unneeded!r} & set(sys.modules)))"
    )
    done = python(code)
    assert done.stdout.splitlines() == ["0", "[]"], done.stderr


def test_the_command_line_loads_no_model_runtime_before_it_is_asked_to_score() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from nlgauge.cli import main;"
        "print(CliRunner().invoke(main, ['--help']).exit_code);"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'msgspec', 'pandas', 'torch'} & set(sys.modules)))"
    )
    done = python(code)
    assert done.stdout.splitlines() == ["0", "[]"], done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import nlgauge; nlgauge.evaluate; print(callable(nlgauge.evaluate))",
        "from nlgauge import evaluate; print(callable(evaluate))",
        "from nlgauge import *; print(callable(evaluate))",
        "import nlgauge.cli; import nlgauge; print(callable(nlgauge.evaluate))",
        "import nlgauge.evaluation; print(callable(nlgauge.evaluate))",
    ],
)
def test_evaluate_is_the_function_however_it_was_come_by(code: str) -> None:
    done = python(code)
    assert done.stdout.split() == ["True"], done.stderr


def test_python_m_nlgauge_shows_its_help() -> None:
    done = subprocess.run([sys.executable, "-m", "nlgauge", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")
    assert "score" in done.stdout
    assert done.stderr == ""
