"""The digest of the source that makes a number: what changes it, what does not, and what cannot be named."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from nlgauge import BERTScore, InfoLM, Length
from nlgauge.data import source_digest as sources
from nlgauge.data.source_digest import readable, source_digest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER

DIGEST = "from nlgauge.data.source_digest import source_digest; from {module} import Kind; print(source_digest([Kind]))"


def digest_of(folder: Path, module: str = "acme.kinds", *, before: str = "") -> str:
    """The digest of a class `Kind` of a module in a folder, as a process of its own finds it."""
    code = before + DIGEST.format(module=module)
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    """Python files by their paths, as if they were there long before any process began."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content), encoding="utf-8")
        os.utime(path, (time.time() - 3600,) * 2)


KINDS = """
    import json
    from . import helpers
    from .deep import (
        formula,  # the one that counts
    )
    class Kind: pass
    def late():
        from acme.rare import never
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    files = {"acme/__init__.py": "", "acme/kinds.py": KINDS, "acme/deep/__init__.py": "", "beside.py": "VALUE = 5"}
    others = ("acme/helpers.py", "acme/deep/formula.py", "acme/rare.py", "acme/other.py")
    write(tmp_path, {**files, **dict.fromkeys(others, "VALUE = 1")})
    return tmp_path


@pytest.mark.parametrize("changed", ["kinds.py", "helpers.py", "deep/formula.py", "rare.py"])
def test_a_change_of_the_module_or_of_what_it_imports_changes_the_digest(package: Path, changed: str) -> None:
    before = digest_of(package)
    path = package / "acme" / changed
    write(package, {f"acme/{changed}": path.read_text(encoding="utf-8") + "\nVALUE = 2\n"})
    assert digest_of(package) != before
    assert readable(before)


def test_a_change_elsewhere_changes_nothing_and_nothing_is_imported_for_it(package: Path) -> None:
    before = digest_of(package)
    write(package, {"acme/other.py": "VALUE = 2", "beside.py": "VALUE = 2"})
    assert digest_of(package) == before
    told = digest_of(package, before="import atexit, sys; atexit.register(lambda: print(*sys.modules));")
    assert "acme.kinds" in told and "acme.rare" not in told


def test_a_module_beside_a_script_counts(tmp_path: Path) -> None:
    write(tmp_path, {"script.py": "import formula\nclass Kind: pass\n", "formula.py": "VALUE = 1"})
    before = digest_of(tmp_path, "script")
    write(tmp_path, {"formula.py": "VALUE = 2"})
    assert digest_of(tmp_path, "script") != before


def test_a_source_that_changed_after_the_process_began_is_not_named(package: Path) -> None:
    edit = "import os, pathlib; p = pathlib.Path({path!r}); import acme.kinds; os.utime(p, None);"
    late = digest_of(
        package, before="import nlgauge.data.source_digest;" + edit.format(path=str(package / "acme" / "helpers.py"))
    )
    assert not readable(late)


def test_what_has_no_source_of_its_own_is_named_like_nothing_else(tmp_path: Path) -> None:
    def made(number: int) -> type:
        class Kind:
            value = number

        return Kind

    first, second = made(1), made(2)
    assert not readable(source_digest([first])) and source_digest([first]) == source_digest([first])
    assert source_digest([first]) != source_digest([second])
    code = "class Kind: pass\nfrom nlgauge.data.source_digest import source_digest\nprint(source_digest([Kind]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("?")


def test_of_nlgauge_the_rooms_count_in_which_numbers_are_made() -> None:
    found: dict[str, bytes] = {}
    for kind in InfoLM.__mro__:
        if kind.__module__.startswith("nlgauge"):
            sources._gather(kind.__module__, InfoLM.__module__, found)
    assert {"nlgauge.metrics.infolm", "nlgauge.maths.divergences", "nlgauge.engine.features.masked"} <= found.keys()
    assert {name.split(".")[1] for name in found} == {"metrics", "maths", "engine"}
    assert "nlgauge.metrics.bertscore" not in found


def test_metrics_differ_and_the_model_s_parts_count_where_a_model_is_read() -> None:
    assert len({source_digest([kind]) for kind in (Length, BERTScore, InfoLM)}) == 3
    model = loading.load("pocket")
    assert source_digest([Length, type(model[ENCODER])]) != source_digest([Length])


def test_a_class_of_a_large_installed_package_brings_its_own_file_alone() -> None:
    found: dict[str, bytes] = {}
    sources._gather("numpy.lib._version", "nlgauge.metrics.length", found)
    assert list(found) == ["numpy.lib._version"]
