"""Tables of docs/speed.md name the source that they measured, and say where it has changed since."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import copytree

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def measured():
    spec = spec_from_file_location("measured_sources", ROOT / "benchmarks" / "measured_sources.py")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_which_tables_are_older_than_their_code(measured):
    for name, section in measured.sections(measured.PAGE.read_text(encoding="utf-8")):
        says = measured.OLDER in section
        older = measured.is_older(name, section)
        assert says == older, f"{name}: run python benchmarks/measured_sources.py, or measure the section again"


@pytest.fixture
def copy(tmp_path, measured):
    """The source in another place, and a page that was measured on it."""
    copytree(ROOT / "src" / "nlgauge", tmp_path / "src" / "nlgauge", ignore=lambda *_: ["__pycache__"])
    page = ""
    for name in measured.SOURCES:
        line = f"Source: `{measured.digest(name, tmp_path)}`."
        page += f"{measured.begin(name)}\n\n{line}\n\n| {name} |\n{measured.end(name)}\n"
    return tmp_path, page


def told(measured, page):
    return {name for name, section in measured.sections(page) if measured.OLDER in section}


def test_a_change_of_code_is_said_of_its_tables_alone_and_taken_back(measured, copy):
    root, page = copy
    assert measured.marked(page, root) == page and not told(measured, page)
    file = root / "src" / "nlgauge" / "maths" / "transport.py"
    before = file.read_bytes()
    file.write_bytes(before + b"_X = 1\n")
    older = measured.marked(page, root)
    assert told(measured, older) == {"formulas"}
    assert measured.marked(older, root) == older
    file.write_bytes(before)
    assert measured.marked(older, root) == page


def test_code_is_what_is_left_without_docstrings_and_comments(measured):
    with_text = '''"""What this
is (é)."""
# A comment.
x: int = 1  # é, and "a string"
"""Of a field"""
y = "é # no comment"; """alone"""; z = """kept
# too"""


def f(a):  # why
    """Return nothing."""
    return f"{a} # {"no"!r}" if a else """
    text"""
'''.replace('{"no"!r}', "{a!r}")
    assert (
        measured.code(with_text)
        == '''x: int = 1
y = "é # no comment"; ; z = """kept
# too"""
def f(a):
    return f"{a} # {a!r}" if a else """
    text"""
'''
    )


def test_only_a_change_of_code_counts(measured, copy):
    root, page = copy
    file = root / "src" / "nlgauge" / "maths" / "transport.py"
    before = file.read_text(encoding="utf-8")
    file.write_text("# A comment.\n" + before.replace('"""', '"""Otherwise said: ', 1), encoding="utf-8")
    assert measured.marked(page, root) == page


def test_a_new_file_of_a_measured_room_counts(measured, copy):
    root, page = copy
    (root / "src" / "nlgauge" / "run" / "other.py").write_text("x = 1\n")
    assert told(measured, measured.marked(page, root)) == {"strings", "models", "growth"}


def test_other_code_does_not_count(measured, copy):
    root, page = copy
    (root / "src" / "nlgauge" / "cli" / "score.py").write_text("x = 1\n")
    assert measured.marked(page, root) == page


def test_a_table_without_its_source_and_a_lost_file_are_refused(measured, copy):
    root, page = copy
    with pytest.raises(ValueError, match="formulas has no line Source"):
        measured.marked(page.replace(f"Source: `{measured.digest('formulas', root)}`.", ""), root)
    (root / "src" / "nlgauge" / "metrics" / "rouge.py").unlink()
    with pytest.raises(ValueError, match=r"strings: there is no metrics/rouge\.py"):
        measured.marked(page, root)
