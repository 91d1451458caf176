"""The recipe for datasets, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("datasets", "datasets")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("datasets")
