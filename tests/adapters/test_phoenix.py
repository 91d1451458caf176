"""The recipe for Phoenix, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("phoenix", "phoenix.evals")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("Phoenix")
