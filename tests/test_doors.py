"""Which file may import which: read from the syntax trees, so that nothing has to be installed or run.

The table of rooms in CONTRIBUTING.md is the rule; this file adds which file is the home of which heavy library.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nlgauge"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
ROOMS = sorted({module.split("/")[0].removesuffix(".py") for module in MODULES} - {"__init__", "__main__"})


def _table(page: str) -> dict[str, set[str]]:
    """By room, the doors that the table of rooms gives it."""
    doors: dict[str, set[str]] = {}
    for rooms, _, imports in re.findall(r"^\| (`[^|]*) \| ([^|]*) \| ([^|]*) \|$", page, re.MULTILINE):
        named = set(re.findall(r"`([\w.]+)`", imports))
        if imports.startswith("all but"):
            named = {room for room in ROOMS if room not in named}
        elif imports.startswith("everything"):
            named = set(ROOMS)
        for room in re.findall(r"`([\w.]+)`", rooms):
            doors[room] = named
    return doors


PUBLIC = {"Corpus", "ScoreTable", "calibrate", "compare", "correlate", "estimate", "evaluate", "explain", "report"}
PUBLIC |= {"sample", "InputError"}
"""Names that the command and the adapters take from the package itself, as its users do"""
DOORS = _table((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
# A metric may import what metrics share, and no other metric; what else one file may is said here, and why.
SHARED = {
    *("base", "references", "moving", "sets", "evidence", "parameters", "idf", "splitters"),
    *("aligners", "translation_counts", "word_vectors", "wordnet"),
}
MORE: dict[str, set[str]] = {
    "metrics/base.py": {"evaluation"},  # a metric's own `score`
    "metrics/__init__.py": {"catalogue.registry"},  # nlgauge.metrics()
    "metrics/combination.py": {"catalogue.registry", "data.combination_file"},  # its members are metrics by their specs
}
HEAVY = {"torch", "transformers", "onnxruntime", "openvino", "onnx", "pandas", "pyarrow", "spacy", "ray", "matplotlib"}
HEAVY |= {"sacrebleu", "rouge_score_rs", "rapidfuzz", "snowballstemmer", "rouge_score", "nltk"}
HEAVY |= {"fastapi", "starlette", "uvicorn", "prometheus_client"}
HEAVY |= {
    "datasets",
    "deepeval",
    "dspy",
    "evaluate",
    "inspect_ai",
    "langfuse",
    "langsmith",
    "lighteval",
    "lm_eval",
    "mlflow",
    "phoenix",
    "ragas",
    "torchmetrics",
    "trl",
}
HOMES: dict[str, set[str]] = {
    "metrics/splitters.py": {"sacrebleu", "rouge_score_rs"},
    "metrics/meteor.py": {"snowballstemmer", "nltk"},
    "metrics/rouge.py": {"rouge_score_rs"},
    "metrics/translation_counts.py": {"sacrebleu"},
    "metrics/ter.py": {"rapidfuzz"},
    "metrics/wer.py": {"rapidfuzz"},
    "engine/models/onnx.py": {"onnxruntime"},
    "engine/models/openvino.py": {"openvino"},
    "engine/models/heads.py": {"torch"},
    "engine/models/aligner_net.py": {"torch"},
    "engine/models/bert.py": {"torch"},
    "engine/models/bert_model.py": {"torch"},
    "engine/models/torch_model.py": {"torch", "transformers"},
    "engine/models/device.py": {"torch"},
    "engine/segmentation.py": {"spacy"},
    "data/corpus/opening.py": {"pyarrow"},
    "data/corpus/files.py": {"pyarrow"},
    "data/table/dataset.py": {"pyarrow"},
    "run/sinks/folder.py": {"pyarrow"},
    "data/table/folder.py": {"pyarrow"},
    "data/table/frame.py": {"pandas"},
    "run/executors/ray.py": {"ray"},
    "show/figures.py": {"matplotlib"},
    "lab/studies/parts_of_speech.py": {"spacy"},
    "lab/training/weak_labels/syntax.py": {"spacy"},
    "lab/training/": {"torch", "transformers", "onnx"},
    "serve/": {"fastapi", "starlette", "uvicorn", "prometheus_client"},
    "adapters/evaluate_module/": {"evaluate", "datasets"},
    "adapters/inspect.py": {"inspect_ai"},
    "adapters/torchmetrics.py": {"torchmetrics", "torch"},
}
# Where a heavy library may be imported outside a function: a network's class is derived from one of torch's, the
# service is loaded by its own command alone, and an adapter by whoever has its framework.
AT_THE_TOP = ("lab/training/", "serve/", "adapters/", "engine/models/aligner_net.py", "engine/models/bert.py")

# What has no test file of its own name, and why.
UNTESTED: dict[str, str] = {
    "errors.py": "messages only; the tests of corpus, table and command check them where they are raised",
    "metrics/base.py": "tests/contracts/test_metrics.py is its test: what holds for every metric",
    "metrics/moving.py": "the tests of MoverScore, SentenceMovers and WordMovers move texts by hand",
    "metrics/sets.py": "tests/contracts/test_sets.py is its test: what holds for every metric of sets",
    "maths/symmetric.py": "tests/maths/test_divergences.py tries all ten measures",
    "metrics/bleu.py": "tests/metrics/test_translation_counts.py holds it to sacrebleu",
    "metrics/chrf.py": "tests/metrics/test_translation_counts.py holds it to sacrebleu",
    "metrics/ter.py": "tests/metrics/test_translation_counts.py holds it to sacrebleu",
    "metrics/splitters.py": "libraries' own rules; the tests of the metrics that split hold them to worked values",
    "metrics/wordnet.py": "tests/metrics/test_meteor.py reads a small one",
    "engine/features/request.py": "tests/engine/test_engine.py tries requests of every kind",
    "engine/text_block.py": "the tests of every feature read through it",
    "options.py": "tests/run/test_runner.py gives options of every kind",
    "run/block.py": "tests/run/test_plan.py scores blocks of every kind",
    "run/executors/__init__.py": "tests/run/test_runner.py chooses one",
    "run/executors/here.py": "tests/run/test_plan.py scores by it",
    "run/executors/processes.py": "tests/test_evaluation.py compares one process with several",
    "run/sinks/__init__.py": "each sink is one",
    "run/sinks/rows.py": "tests/test_explanation.py is about what it collects",
    "run/sinks/table.py": "tests/test_evaluation.py is about the tables that it makes",
    "data/table/dataset.py": "tests/run/sinks/test_folder.py writes, reads and damages it",
    "data/table/folder.py": "tests/run/sinks/test_folder.py reads it, whole and damaged",
    "run/sets.py": "tests/run/test_plan.py, and tests/contracts/test_sets.py for every metric of sets",
    "meta/gate/grounded.py": "tests/meta/gate/test_check.py reads all of it",
    "cli/check/__init__.py": "tests/cli/check/test_text.py runs the whole command",
    "serve/measures.py": "tests/serve/test_app.py asks the whole service",
    "adapters/__init__.py": "tests/adapters/test_scorer.py asks for the adapters of before",
    "__init__.py": "tests/test_public_names.py",
    **{f"cli/{name}.py": "tests/test_cli.py runs the whole command" for name in ("__init__", "correlate")},
    **{
        f"data/corpus/{name}.py": "tests/data/corpus/test_corpus.py reads and refuses rows of every kind"
        for name in ("files", "place", "row")
    },
}
RECIPES = ("datasets", "deepeval", "dspy", "langfuse", "langsmith", "lighteval", "lm_eval", "mlflow", "pandas")
WITHOUT_SOURCE = {
    "adapters/test_page.py",
    *(f"adapters/test_{name}.py" for name in (*RECIPES, "phoenix", "promptfoo", "ragas")),
    "test_audit.py",
    "campaigns/test_campaigns.py",
    "test_cli.py",
    "test_packaging.py",
    "test_doors.py",
    "test_public_names.py",
    "test_outside.py",
    "test_contributing.py",
    "test_companion.py",
}
OF_THE_WHOLE = ("docs/", "contracts/", "parity/")
LINES = 20


def _of(module: str, table: dict[str, set[str]]) -> set[str]:
    return next((names for place, names in table.items() if module == place or module.startswith(place)), set())


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


def _doors(module: str) -> tuple[str, set[str]]:
    """The room at the top that a file is in, and the doors of the smallest room of the table that holds it."""
    dotted = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".") + "."
    holding = [room for room in DOORS if dotted.startswith(f"{room}.")]
    return module.split("/")[0].removesuffix(".py"), DOORS[max(holding, key=len)] if holding else set()


def trespasses(module: str, source: str) -> list[str]:
    """What `source`, as the file `module` (relative to the package), imports and may not."""
    room, doors = _doors(module)
    wrong = []
    for name, top in _imports(source):
        if name.startswith("."):
            wrong.append(f"{name}: write the whole name")
            continue
        package, _, inner = name.partition(".")
        if package == "nlgauge" and room not in ("__init__", "__main__"):
            public = (room in ("cli", "adapters") and inner in PUBLIC) or (room == "cli" and not inner)
            if not public and not any(f"{inner}.".startswith(f"{door}.") for door in doors | MORE.get(module, set())):
                wrong.append(f"{name}: not among {sorted(doors)}")
            if room == "metrics" and not _shared(module, inner):
                wrong.append(f"{name}: a metric imports no other")
        if package in HEAVY and package not in _of(module, HOMES):
            wrong.append(f"{name}: a heavy library, at home elsewhere")
        if package in HEAVY and top and not module.startswith(AT_THE_TOP):
            wrong.append(f"{name}: a heavy library, imported as soon as the file is")
    return wrong


def _shared(module: str, inner: str) -> bool:
    """Whether a metric may import it: what metrics share, or from `published` the metric that is repeated wrongly."""
    room, _, rest = inner.partition(".")
    return room != "metrics" or rest.split(".")[0] in SHARED or module.startswith("metrics/published/")


def test_every_room_has_its_doors_in_the_table() -> None:
    assert sorted(room for room in DOORS if "." not in room) == ROOMS


@pytest.mark.parametrize("module", MODULES)
def test_imports_stay_within_the_doors(module: str) -> None:
    assert trespasses(module, (SOURCE / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("maths/divergences.py", "from nlgauge.errors import SpecError"),
        ("maths/divergences.py", "import nlgauge"),
        ("errors.py", "from nlgauge._version import __version__"),
        ("data/signature.py", "from nlgauge.engine.engine import Engine"),
        ("data/corpus/corpus.py", "from nlgauge.data.table import ScoreTable"),
        ("data/corpus/files.py", "def f():\n    from nlgauge.catalogue import registry"),
        ("data/table/table.py", "from nlgauge.meta.join import joined"),
        ("run/store/store.py", "from nlgauge.run.results import RowResult"),
        ("engine/engine.py", "from nlgauge.metrics.base import Metric"),
        ("engine/engine.py", "if True:\n    from nlgauge.data.corpus import Row"),
        ("metrics/infolm.py", "from nlgauge.metrics.bertscore import BERTScore"),
        ("metrics/infolm.py", "from nlgauge.metrics import bertscore"),
        ("metrics/infolm.py", "from nlgauge.engine.models.onnx import open_onnx"),
        ("metrics/infolm.py", "from nlgauge.engine.engine import Engine"),
        ("metrics/infolm.py", "from .base import Metric"),
        ("metrics/infolm.py", "from nlgauge.catalogue.registry import metric"),
        ("run/plan.py", "from nlgauge.catalogue.registry import metric"),
        ("run/plan.py", "from nlgauge.meta.agreement import correlate"),
        ("meta/join.py", "from nlgauge.show.page.report import report"),
        ("meta/agreement.py", "from nlgauge.metrics.base import Metric"),
        ("evaluation.py", "from nlgauge.cli import main"),
        ("evaluation.py", "def f():\n    import nlgauge.cli"),
        ("evaluation.py", "from nlgauge.lab.studies.sweep import sweep"),
        ("engine/tokens.py", "def f():\n    import torch"),
        ("engine/models/onnx.py", "import onnxruntime"),
        ("engine/models/onnx.py", "def f():\n    import onnx"),
        ("engine/models/torch_model.py", "try:\n    import torch\nexcept ImportError:\n    torch = None"),
        ("data/corpus/files.py", "import pyarrow"),
        ("cli/score.py", "def f():\n    from matplotlib import pyplot"),
        ("metrics/rouge.py", "import rouge_score_rs"),
        ("metrics/cider.py", "def f():\n    import sacrebleu"),
        ("lab/training/masked_lm.py", "import spacy"),
        ("adapters/trl.py", "import trl"),
        ("adapters/trl.py", "from nlgauge.engine.engine import Engine"),
        ("adapters/scorer.py", "import nlgauge"),
    ],
)
def test_a_planted_import_is_caught(module: str, source: str) -> None:
    assert len(trespasses(module, source)) >= 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "data/table/table.py",
            "from __future__ import annotations\nfrom nlgauge.errors import InputError\nimport numpy",
        ),
        (
            "data/table/table.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from nlgauge.data.corpus import Row",
        ),
        ("metrics/infolm.py", "from nlgauge.maths.divergences import Measure\nfrom nlgauge.metrics.base import Metric"),
        ("metrics/published/infolm.py", "from nlgauge.metrics.infolm import InfoLM"),
        ("metrics/combination.py", "from nlgauge.catalogue import registry"),
        ("data/corpus/files.py", "def f():\n    import pyarrow"),
        ("__main__.py", "from nlgauge.cli import main"),
        ("lab/training/export.py", "import onnx"),
        ("adapters/torchmetrics.py", "import torchmetrics\nfrom nlgauge import evaluate"),
    ],
)
def test_a_lawful_import_passes(module: str, source: str) -> None:
    assert trespasses(module, source) == []


def test_the_rules_name_files_that_exist() -> None:
    places = [*MORE, *HOMES, *UNTESTED, *(f"metrics/{name}.py" for name in SHARED)]
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
