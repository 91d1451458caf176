"""A few inputs of every surface of fuzzing/ end as documented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "fuzzing"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="a source distribution has no fuzzing")


@pytest.mark.parametrize("surface", ["specs", "files", "scores", "rows", "service", "faults"])
def test_a_few_inputs_of_every_surface(surface: str) -> None:
    if surface == "service":
        pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
        pytest.importorskip("httpx", reason="needs the dependency group dev")
    if surface == "faults" and sys.platform != "linux":
        pytest.skip("Linux only")
    command = [sys.executable, str(FOLDER / f"{surface}.py"), "--inputs", "15", "--limit", "60"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("0 findings\n")
