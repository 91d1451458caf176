"""Run the tests of what `pip install nlgauge` alone brings, in this Python: the command, every metric, the readers of
files and the embedded model. Tests that need more skip by name.

    python -m pip install -e . --group test
    python .ci/base.py              # or python .ci/base.py tests, for all
"""

from __future__ import annotations

import sys

import pytest

TESTS = (
    *("test_cli.py", "test_evaluation.py", "test_plugins.py", "test_public_names.py", "cli/test_report.py"),
    *("cli/test_score.py", "contracts/test_metrics.py", "data", "engine/models/test_loading.py"),
    *("engine/models/test_onnx.py", "run/test_store.py", "answers/test_compare.py"),
)

if __name__ == "__main__":
    wanted = sys.argv[1:] or [f"tests/{name}" for name in TESTS]
    sys.exit(pytest.main(["-q", "--numprocesses", "2", "--dist", "loadfile", *wanted]))
