"""Which file may import which: read from the syntax trees, so that nothing has to be installed or run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nlgauge"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

# Of a file or folder: what of ours it may import. Of those that are not named: anything but cli.
ALLOWED: dict[str, set[str]] = {
    "maths/": {"maths"},
    "errors.py": set(),
    "_version.py": set(),
    "corpus.py": {"errors"},
    "signature.py": set(),
    "atomic_write.py": {"errors"},
    "column.py": {"maths"},
    "intervals.py": {"column"},
    "summary.py": {"intervals"},
    "frame.py": {"errors"},
    "scores_file.py": {"atomic_write", "column"},
    "scores_reader.py": {"column", "errors", "maths", "signature"},
    "table.py": {
        *("column", "errors", "frame", "intervals", "scores_file", "scores_reader", "signature", "summary"),
    },
    "combination_file.py": {"atomic_write", "errors"},
    "engine/": {"engine", "errors"},
    "meta/": {"combination_file", "errors", "maths", "meta", "signature", "table"},
    "studies/": {
        *(
            "studies",
            "corpus",
            "errors",
            "engine.engine",
            "evaluation",
            "maths",
            "meta",
            "metrics",
            "registry",
            "table",
        ),
    },
    "metrics/combination.py": {"corpus", "errors", "engine.engine", "metrics.base", "registry", "combination_file"},
    "reproduce/": {
        "reproduce",
        "corpus",
        "errors",
        "evaluation",
        "meta",
        "metrics.base",
        "registry",
        "table",
        "_version",
    },
    "metrics/": {
        "corpus",
        "errors",
        "engine.tokens",
        "engine.features",
        "engine.engine",
        "engine.words",
        "engine.gaps",
        "engine.masking",
        "engine.segmentation",
        "engine.weighter",
        "maths",
        "metrics.base",
    },
}
HEAVY = {"torch", "transformers", "onnxruntime", "onnx", "pandas", "pyarrow", "spacy", "ray", "matplotlib"}
STRINGS = {"sacrebleu", "rouge_score_rs", "rapidfuzz", "snowballstemmer", "rouge_score", "nltk"}
HEAVY |= STRINGS
HEAVY_HOMES: dict[str, set[str]] = {
    "metrics/base.py": {"sacrebleu", "rouge_score_rs"},
    "metrics/meteor.py": {"snowballstemmer"},
    "metrics/rouge.py": {"rouge_score_rs"},
    "metrics/translation.py": {"sacrebleu", "rapidfuzz"},
    "engine/onnx.py": {"onnxruntime"},
    "engine/transformers.py": {"torch", "transformers"},
    "engine/kinds.py": {"transformers"},
    "engine/aligner_net.py": {"torch", "transformers"},
    "engine/seq2seq.py": {"torch", "transformers"},
    "engine/torch_model.py": {"torch", "transformers"},
    "engine/segmentation.py": {"spacy"},
    "corpus.py": {"pandas", "pyarrow"},
    "frame.py": {"pandas"},
    "reproduce/figures.py": {"matplotlib"},
    "studies/figures.py": {"matplotlib"},
    "studies/parts_of_speech.py": {"spacy"},
    "training/weak_labels/syntax.py": {"spacy"},
    "training/": {"torch", "transformers", "onnx"},
}
# Where a heavy library may be imported outside a function: a network's class is derived from one of torch's.
AT_THE_TOP = ("training/", "engine/aligner_net.py")

# What has no test file of its own name, and why.
UNTESTED: dict[str, str] = {
    "errors.py": "messages only; tests/test_corpus.py, test_table.py and test_cli.py check them where they are raised",
    "doctor.py": "one command; tests/test_cli.py runs it, on a sound and on a broken model",
    "metrics/base.py": "tests/contracts/test_metrics.py is its test: what holds for every metric",
    "engine/model.py": "a protocol, without code",
    "engine/features.py": "values without code",
    "engine/onnx.py": "tests/parity compares it with torch, and every test that scores runs it",
    "__init__.py": "tests/test_public_names.py",
    **{
        f"cli/{name}.py": "tests/test_cli.py runs the whole command"
        for name in ("__init__", "correlate", "explain", "installation", "score", "terminal", "train")
    },
}
WITHOUT_SOURCE = {"test_cli.py", "test_doors.py", "test_public_names.py"}
OF_THE_WHOLE = ("contracts/", "parity/")
LINES = 20


def _home(module: str, table: dict[str, set[str]]) -> set[str] | None:
    return next((names for place, names in table.items() if module == place or module.startswith(place)), None)


def _imports(source: str) -> Iterator[tuple[str, bool]]:
    """(dotted name, whether it stands outside functions) of every import that is run, `from a import b` as a.b."""

    def walk(node: ast.AST, top: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
                for other in child.orelse:
                    yield from walk(other, top)
            elif isinstance(child, ast.Import):
                yield from ((alias.name, top) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = "." * child.level + (child.module or "")
                yield from ((f"{base}.{alias.name}", top) for alias in child.names)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from walk(child, top and not inside)

    yield from walk(ast.parse(source), True)


def trespasses(module: str, source: str) -> list[str]:
    """What `source`, as the file `module` (relative to the package), imports and may not."""
    allowed, heavy = _home(module, ALLOWED), _home(module, HEAVY_HOMES) or set()
    wrong = []
    for name, top in _imports(source):
        if name.startswith("."):
            wrong.append(f"{name}: write the whole name")
            continue
        package, _, inner = name.partition(".")
        if package == "nlgauge":
            if inner.split(".")[0] == "cli" and module != "__main__.py" and not module.startswith("cli/"):
                wrong.append(f"{name}: nobody imports cli")
            if allowed is not None and not any(f"{inner}.".startswith(f"{door}.") for door in allowed):
                wrong.append(f"{name}: not among {sorted(allowed)}")
        if package in HEAVY and package not in heavy:
            wrong.append(f"{name}: a heavy library, at home elsewhere")
        if package in HEAVY and top and not module.startswith(AT_THE_TOP):
            wrong.append(f"{name}: a heavy library, imported as soon as the file is")
    return wrong


@pytest.mark.parametrize("module", MODULES)
def test_imports_stay_within_the_doors(module: str) -> None:
    assert trespasses(module, (SOURCE / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("maths/divergences.py", "from nlgauge.errors import SpecError"),
        ("maths/divergences.py", "import nlgauge"),
        ("errors.py", "from nlgauge._version import __version__"),
        ("corpus.py", "from nlgauge.table import ScoreTable"),
        ("corpus.py", "def f():\n    from nlgauge import registry"),
        ("table.py", "from nlgauge.corpus import Corpus"),
        ("engine/engine.py", "from nlgauge.metrics.base import Metric"),
        ("engine/engine.py", "if True:\n    from nlgauge.corpus import Row"),
        ("metrics/infolm.py", "from nlgauge.metrics.other import Other"),
        ("metrics/infolm.py", "from nlgauge.metrics import other"),
        ("metrics/infolm.py", "from nlgauge.engine.onnx import OnnxModel"),
        ("metrics/infolm.py", "from nlgauge.engine.engine_room import secret"),
        ("metrics/infolm.py", "from .base import Metric"),
        ("metrics/infolm.py", "from nlgauge.registry import metric"),
        ("meta/join.py", "from nlgauge.corpus import Corpus"),
        ("meta/agreement.py", "from nlgauge.metrics.base import Metric"),
        ("evaluate.py", "from nlgauge.cli import main"),
        ("evaluate.py", "def f():\n    import nlgauge.cli"),
        ("engine/tokens.py", "def f():\n    import torch"),
        ("engine/onnx.py", "import onnxruntime"),
        ("engine/onnx.py", "def f():\n    import onnx"),
        ("engine/transformers.py", "try:\n    import torch\nexcept ImportError:\n    torch = None"),
        ("engine/transformers.py", "class A:\n    from transformers import BertModel"),
        ("corpus.py", "import pandas as pd"),
        ("cli.py", "def f():\n    from matplotlib import pyplot"),
        ("metrics/rouge.py", "import rouge_score_rs"),
        ("metrics/cider.py", "def f():\n    import sacrebleu"),
        ("training/masked_lm.py", "import spacy"),
    ],
)
def test_a_planted_import_is_caught(module: str, source: str) -> None:
    assert len(trespasses(module, source)) >= 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("table.py", "from __future__ import annotations\nfrom nlgauge.errors import InputError\nimport numpy as np"),
        ("table.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from nlgauge.corpus import Corpus"),
        ("metrics/infolm.py", "from nlgauge.maths.divergences import Measure\nfrom nlgauge.metrics.base import Metric"),
        ("corpus.py", "def f():\n    import pyarrow"),
        ("__main__.py", "from nlgauge.cli import main"),
        ("training/export.py", "import onnx"),
    ],
)
def test_a_lawful_import_passes(module: str, source: str) -> None:
    assert trespasses(module, source) == []


def test_the_rules_name_files_that_exist() -> None:
    places = [*ALLOWED, *HEAVY_HOMES, *UNTESTED]
    assert [place for place in places if not (SOURCE / place).exists()] == []


def test_every_test_file_mirrors_a_source_file() -> None:
    tests = sorted(path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    strays = [
        test
        for test in tests
        if test not in WITHOUT_SOURCE
        and not test.startswith(OF_THE_WHOLE)
        and test.replace("test_", "", 1) not in MODULES
    ]
    assert tests
    assert strays == [], "a test file is named after the file that it tests"


def test_every_source_file_has_a_test_file() -> None:
    missing = []
    for module in MODULES:
        folder, _, name = module.rpartition("/")
        assert not (module in UNTESTED and (ROOT / "tests" / folder / f"test_{name}").exists()), f"{module} has one"
        long = len((SOURCE / module).read_text(encoding="utf-8").splitlines()) > LINES
        if long and module not in UNTESTED and not (ROOT / "tests" / folder / f"test_{name}").exists():
            missing.append(module)
    assert missing == [], "write the test file, or say in UNTESTED why there is none"
