"""What the laboratory adds to nlgauge: commands and metrics by entry points, under the names that nlgauge knows."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution

import nlgauge
import nlgauge_lab
from nlgauge._plugins import LAB, LAB_COMMANDS, LAB_METRICS

POINTS = distribution(LAB).entry_points


def test_nlgauge_knows_every_name_of_the_laboratory() -> None:
    """So that it can say where they are when the laboratory is not installed."""
    assert {point.name for point in POINTS.select(group="nlgauge.commands")} == LAB_COMMANDS.keys()
    assert {point.name for point in POINTS.select(group="nlgauge.metrics")} == LAB_METRICS


def test_the_version_is_that_of_nlgauge() -> None:
    assert distribution(LAB).version == nlgauge.__version__
    assert f"nlgauge=={nlgauge.__version__}" in (distribution(LAB).requires or [])


def test_the_command_is_not_slowed_down() -> None:
    """Listing the commands loads those of the laboratory, which load no library of their own before they are called."""
    assert nlgauge_lab.__doc__
    code = (
        "import sys; from click.testing import CliRunner; from nlgauge.cli import main;"
        "found = CliRunner().invoke(main, ['--help']); print(found.exit_code, 'reproduce' in found.output);"
        "print(sorted({'numpy', 'torch', 'onnx', 'onnxruntime', 'spacy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["0 True", "[]"], done.stderr
