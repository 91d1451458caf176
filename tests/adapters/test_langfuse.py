"""The recipe for Langfuse, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("langfuse", "langfuse")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("Langfuse")
