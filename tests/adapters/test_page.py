"""The page of the adapters names the versions that the adapters are tested with, and all of them."""

from __future__ import annotations

import re

from tests.adapters.needed import PAGE

ROOT = PAGE.parents[1]


def test_the_page_names_the_versions_that_are_tested() -> None:
    rows = re.findall(
        r"^\| \[.*?\]\(#[\w-]+\) \| .*?`[\w.]*?(\w+)` \| (.*?) ?\|$", PAGE.read_text(encoding="utf-8"), re.M
    )
    shown = {
        name.replace("assert_grounded", "pytest_plugin"): set(filter(None, versions.strip().split(", ")))
        for name, versions in rows
    }
    tested = {
        path.stem: {line.replace("==", " ") for line in path.read_text(encoding="utf-8").splitlines() if "==" in line}
        for path in (ROOT / "tests" / "adapters" / "requirements").glob("*.txt")
    }
    assert len(tested) == 17
    assert shown == tested
