"""The recipe for Ragas, by the package itself."""

import os

from tests.adapters.needed import needed, run_example

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
needed("ragas", "ragas")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("Ragas")
