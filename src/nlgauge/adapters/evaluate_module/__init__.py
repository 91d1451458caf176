"""The folder that `evaluate.load` reads: ``evaluate.load(nlgauge.adapters.evaluate_module.FOLDER)``."""

from pathlib import Path

FOLDER = str(Path(__file__).parent)
