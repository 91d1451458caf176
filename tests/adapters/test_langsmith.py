"""The recipe for LangSmith, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("langsmith", "langsmith")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("LangSmith")
