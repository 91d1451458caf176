"""The recipe for lighteval, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("lighteval", "lighteval")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("lighteval")
