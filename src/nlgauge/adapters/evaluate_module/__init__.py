"""The folder of the module for Hugging Face `evaluate`: ``evaluate.load(nlgauge.adapters.evaluate_module.FOLDER)``."""

from pathlib import Path

FOLDER = str(Path(__file__).parent)
