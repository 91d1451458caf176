"""How fast we are beside other libraries stands on one page alone, whose tables a command writes."""

from __future__ import annotations

import re

from tests.docs.blocks import PAGES, ROOT

PEERS = "torchmetrics|sacrebleu|rouge-score|NLTK|POT|bert-score|jiwer|scikit-learn|faiss"
FIGURE = re.compile(rf"\d[^|.]{{0,40}}times (?:as fast|as long|faster|the speed)[^|.]{{0,60}}(?:{PEERS})")


def test_no_other_page_says_how_fast_we_are_beside_a_peer() -> None:
    assert FIGURE.search("is 24 times as fast as rouge-score")
    found = {page.name: FIGURE.findall(page.read_text(encoding="utf-8")) for page in PAGES if page.name != "speed.md"}
    assert not {name: figures for name, figures in found.items() if figures}


def test_the_tables_stand_between_their_marks() -> None:
    text = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    for name in ("strings", "models", "formulas", "start", "runtimes"):
        _, _, rest = text.partition(f"<!-- {name}: written by benchmarks/speed.py -->")
        assert "Measured on" in rest.partition(f"<!-- end of {name} -->")[0]
