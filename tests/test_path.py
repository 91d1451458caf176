"""How far calls go through the library: `benchmarks/path.py` measures it, and its limits hold."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from nlgauge.metrics.simple import Length
from tests.score_tables import three


@pytest.fixture(scope="module")
def path() -> ModuleType:
    place = Path(__file__).parents[1] / "benchmarks" / "path.py"
    spec = importlib.util.spec_from_file_location("benchmarks_path", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_no_call_goes_further_than_its_limit(path: ModuleType, tmp_path: Path) -> None:
    calls = path.calls(tmp_path)
    assert calls.keys() == path.LIMITS.keys()
    measured = {name: path.passed(call) for name, call in calls.items()}
    # A limit that is far above what is measured holds nothing.
    for name, one in measured.items():
        functions, changes, depth = path.LIMITS[name]
        told = f"{name}: {len(one.functions)} functions, {one.changes} changes of package, depth {one.depth}"
        assert not one.over(path.LIMITS[name]), f"{told}: python benchmarks/path.py --list names them"
        assert 0.9 * functions <= len(one.functions) and 0.8 * changes <= one.changes and depth - 4 <= one.depth, told


def test_what_is_counted(path: ModuleType) -> None:
    made = Length()
    spec = path.passed(lambda: str(made))
    assert {code.co_name for code in spec.functions} == {"__str__", "name"}
    assert spec.parts == 2 and {Path(file).name for file in spec.files} == {"base.py"}
    assert (spec.changes, spec.depth) == (0, 2)


def test_each_call_of_another_package_is_a_change_and_each_function_counts_once(path: ModuleType) -> None:
    table = three(5)
    once, thrice = path.passed(table.by_system), path.passed(lambda: [table.by_system() for _ in range(3)])
    assert thrice.functions == once.functions and thrice.depth == once.depth
    assert thrice.changes == 3 * once.changes > 0


def test_each_of_the_three_limits_holds(path: ModuleType) -> None:
    one, limit = path.passed(lambda: str(Length())), path.Limit
    functions = len(one.functions)
    assert not one.over(limit(functions, one.changes, one.depth))
    assert one.over(limit(functions - 1, one.changes, one.depth))
    assert one.over(limit(functions, one.changes - 1, one.depth))
    assert one.over(limit(functions, one.changes, one.depth - 1))
