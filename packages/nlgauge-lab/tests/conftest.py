"""The fixtures of nlgauge's own tests; nothing is collected where the laboratory is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from tests.conftest import _loaded, data, one_model, outputs, records

__all__ = ["_loaded", "data", "one_model", "outputs", "records"]

collect_ignore_glob = [] if find_spec("nlgauge_lab") else ["*"]
