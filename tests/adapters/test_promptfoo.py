"""The recipe for promptfoo, called as its Python wrapper calls it: it is a program of Node."""

from tests.adapters.needed import run_example


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("promptfoo")
