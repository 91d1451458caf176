"""The digest of the source that makes a number: what changes it, what does not, and what cannot be named."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from nlgauge.data import source_digest as sources

DIGEST = "from nlgauge.data.source_digest import source_digest; from {module} import Kind; print(source_digest([Kind]))"


def digest_of(folder: Path, module: str = "acme.kinds", *, before: str = "") -> str:
    """The digest of a class `Kind` of a module in a folder, as a process of its own finds it."""
    code = before + DIGEST.format(module=module)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(sources._ROOT.parent)])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    """Python files by their paths, as if they were there long before any process began."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content), encoding="utf-8")
        os.utime(path, (time.time() - 3600,) * 2)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    names = ("helpers", "deep/formula", "rare", "other")
    files = {"acme/__init__.py": "", "acme/deep/__init__.py": "", "acme/kinds.py": "class Kind: pass", "beside.py": ""}
    write(tmp_path, {**files, **{f"acme/{name}.py": "VALUE = 1" for name in names}})
    return tmp_path


def test_a_change_outside_of_the_package_changes_nothing_and_nothing_is_imported_for_it(package: Path) -> None:
    before = digest_of(package)
    write(package, {"beside.py": "VALUE = 2"})
    assert digest_of(package) == before
    told = digest_of(package, before="import atexit, sys; atexit.register(lambda: print(*sys.modules));")
    assert "acme.kinds" in told and "acme.rare" not in told


@pytest.mark.parametrize("changed", ["script.py", "formula.py"])
def test_a_script_and_a_module_beside_it_count(tmp_path: Path, changed: str) -> None:
    write(tmp_path, {"script.py": "import formula\nclass Kind: pass\n", "formula.py": "VALUE = 1"})
    before = digest_of(tmp_path, "script")
    write(tmp_path, {changed: (tmp_path / changed).read_text(encoding="utf-8") + "#"})
    assert digest_of(tmp_path, "script") != before


def test_of_an_installed_package_the_class_s_own_file_counts(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    write(folder, {"acme/__init__.py": "", "acme/kinds.py": "class Kind: pass", "acme/other.py": "VALUE = 1"})
    before = digest_of(folder)
    write(folder, {"acme/other.py": "VALUE = 2"})
    assert digest_of(folder) == before
    write(folder, {"acme/kinds.py": "class Kind: number = 2"})
    assert digest_of(folder) != before


def test_a_byte_of_any_file_of_the_scoring_source_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, root = tmp_path / "nlgauge", sources._ROOT
    files = [path for room in ("engine", "maths", "metrics") for path in (root / room).rglob("*.py")]
    write(copy, {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files})
    monkeypatch.setattr(sources, "_ROOT", copy)
    monkeypatch.setattr(sources, "_STARTED", float("inf"))
    digest = sources._own_source.__wrapped__
    seen = {digest()}
    for path in files:
        changed = copy / path.relative_to(root)
        content = changed.read_bytes()
        changed.write_bytes(bytes([content[0] ^ 1]) + content[1:] if content else b"#")
        seen.add(digest())
        changed.write_bytes(content)
    assert len(seen) == len(files) + 1 > 50 and digest() in seen
