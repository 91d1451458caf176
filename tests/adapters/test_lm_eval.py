"""The recipe for lm-evaluation-harness, by the package itself."""

from tests.adapters.needed import needed, run_example

needed("lm_eval", "lm_eval")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("lm-evaluation-harness")
