"""The audit of dependencies tells an advisory from a database that nobody can reach."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "audit.py"
CLEAN = {"name": "numpy", "version": "2.0", "vulns": []}
HURT = {"name": "jinja2", "version": "3.1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["3.1.6"]}]}
UNKNOWN = {"name": "click", "skip_reason": "Dependency not found"}
OURS = {"name": "nlgauge", "skip_reason": "Dependency not found"}


@pytest.fixture
def audit() -> ModuleType:
    if not SCRIPT.exists():
        pytest.skip("a source distribution has no .ci")
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answering(folder: Path, packages: list[dict[str, Any]] | None, *, says: str = "", code: int = 0) -> str:
    """A stand-in for pip-audit that writes an answer, or none."""
    program = folder / "pip-audit"
    written = "" if packages is None else json.dumps({"dependencies": packages})
    program.write_text(
        f"#!{sys.executable}\nimport pathlib, sys\n"
        f"if {written!r}: pathlib.Path(sys.argv[sys.argv.index('--output') + 1]).write_text({written!r})\n"
        f"print({says!r}, file=sys.stderr)\nsys.exit({code})\n"
    )
    program.chmod(0o700)
    return str(program)


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([CLEAN, OURS], 0, "audit: 0 advisories against 1 packages; 0 are not in the database\n"),
        ([CLEAN, UNKNOWN], 0, "audit: 0 advisories against 1 packages; 1 are not in the database\n"),
        ([CLEAN, HURT], 1, "audit: jinja2 3.1.0 has CVE-1, mended in 3.1.6\naudit: 1 advisories against 2 packages"),
        ([UNKNOWN, OURS], 0, "audit: SKIPPED, the database of advisories knows none of the 1 packages"),
        ([], 0, "audit: SKIPPED, "),
    ],
)
def test_what_is_known_is_told(
    audit: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], packages: Any, code: int, said: str
) -> None:
    assert audit.main(answering(tmp_path, packages, code=code), "folder") == code
    assert capsys.readouterr().out.startswith(said)


def test_who_cannot_be_asked_is_named(audit: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(answering(tmp_path, None, says="one line\nConnectionError: no network", code=1), "folder") == 0
    assert "SKIPPED, the database of advisories cannot be asked: ConnectionError: no network" in capsys.readouterr().out
    assert audit.main(str(tmp_path / "nowhere"), "folder") == 0
    assert "SKIPPED, the database of advisories cannot be asked: pip-audit cannot be run" in capsys.readouterr().out
