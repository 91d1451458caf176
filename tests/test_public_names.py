"""What `import nlgauge` offers, and what it does not load to do so."""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import ModuleType

import pytest

import nlgauge
from nlgauge.catalogue import registry
from nlgauge.errors import NlgaugeError


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)


def test_all_names_what_the_module_offers() -> None:
    eager = {
        name
        for name, thing in vars(nlgauge).items()
        if not name.startswith("_") and getattr(thing, "__module__", "").startswith("nlgauge")
    }
    assert set(nlgauge.__all__) == eager | set(nlgauge._HOMES) | {"__version__"}
    assert list(nlgauge.__all__) == sorted(nlgauge.__all__)


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
        if name.startswith("published/"):
            continue
        assert getattr(nlgauge, name) is kind
        assert name in dir(nlgauge)
    assert set(nlgauge.__all__) <= set(dir(nlgauge))


@pytest.mark.parametrize("name", ["Nonsense", "nonsense", "infolm", "_private", "InfoLMScorer", "Metric", ""])
def test_an_unknown_attribute_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(nlgauge, name)


def test_importing_nlgauge_loads_nothing_heavy() -> None:
    code = (
        "import sys, nlgauge; print(nlgauge.__version__);"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'numpy', 'onnxruntime', 'tokenizers', 'click', 'tqdm', 'safetensors', 'pandas', 'pyarrow', 'torch'}))"
    )
    done = python(code)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [nlgauge.__version__, "[]"]


def test_the_command_line_loads_no_model_runtime_before_it_is_asked_to_score() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from nlgauge.cli import main;"
        "print(CliRunner().invoke(main, ['--help']).exit_code);"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'pandas', 'torch'} & set(sys.modules)))"
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
