"""The recipe for DeepEval, by the package itself."""

import os

from tests.adapters.needed import needed, run_example

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
os.environ.setdefault("DEEPEVAL_DISABLE_DOTENV", "1")
needed("deepeval", "deepeval")


def test_the_recipe_prints_what_the_page_says() -> None:
    run_example("DeepEval")
