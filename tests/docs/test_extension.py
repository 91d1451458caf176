"""What the site makes of docstrings and of metrics' classes."""

from __future__ import annotations

import pytest

from nlgauge.contract.parameters import parameters_of
from nlgauge.registry import project_metrics
from tests.docs.conftest import DOCS

pytest.importorskip("sphinx", reason="needs the dependency group docs")

from extension.cards import homes, linked, shown
from extension.docstrings import described
from extension.fields import restructured, untyped
from extension.metric import facts
from sphinx.ext.napoleon import GoogleDocstring

KINDS = project_metrics()
DOC = """What it is.

    model: which one
        is read. layers, seed: how many.

    More: of it. See model: here.
    """


def test_a_docstring_says_what_each_parameter_is() -> None:
    found = described(DOC, ["model", "layers", "seed"])
    assert found == {"model": "which one is read.", "layers": "how many.", "seed": "how many."}


def test_parameters_become_fields() -> None:
    lines = restructured(DOC.splitlines(), ["model", "layers", "seed"])
    assert lines[0] == "What it is."
    assert ":param model: which one is read." in lines
    assert "More: of it. See model: here." in lines


@pytest.mark.parametrize(
    "text",
    [
        "By (system, item): for each trial its name",
        "The change: what it costs",
        "A name",
        "Two lines:\nthe second",
        "One: two: three\nfour: five",
    ],
)
def test_the_text_of_a_field_has_no_type_before_its_colon(text: str) -> None:
    read = GoogleDocstring(text, what="attribute", name="Record.field", app=None).lines()
    shown = [line for line in untyped(read) if line]
    assert " ".join(" ".join(shown).split()) == " ".join(text.split())


@pytest.mark.parametrize("name", KINDS)
def test_every_parameter_of_a_metric_is_described(name: str) -> None:
    assert [parameter for parameter, one in parameters_of(KINDS[name]).items() if not one.help] == []


def test_the_facts_of_a_metric_are_those_of_its_class() -> None:
    told = facts("InfoLM")
    assert "Lower is better." in told
    assert "| `measure` | `'fisher_rao'` | " in told
    assert "Colombo et al. 2022" in told
    assert "`'data-to-text'`" in told
    assert "| values | From 0 to 1. |" in told and "| values | 1 or more. |" in facts("Perplexity")
    assert "| values | `f1`: from 0 to 1; `precision`, `recall`: from -1 to 1. |" in facts("BERTScore")
    assert "| short spelling | `ROUGE:VALUE` sets `variant` |" in facts("ROUGE")
    assert "short spelling" not in facts("TokenF1")
    assert "the texts of other rows too" in facts("CIDEr") and "sacrebleu" in facts("BLEU")


def test_links_to_cards_lead_to_their_pages() -> None:
    cards = homes(DOCS)
    card = "src/nlgauge/engine/models/pocket/ALIGNER.md"
    assert cards[card] == "pocket-aligner.md"
    assert linked(f"[card](../{card})", "ctc", cards) == "[card](cards/pocket-aligner.md)"
    assert linked(f"[card](../../{card})", "guides/x", cards) == "[card](../cards/pocket-aligner.md)"
    assert "](pocket-pairs.md)" in shown(DOCS, "pocket-weighters.md", cards)


def test_every_card_has_a_page() -> None:
    root = DOCS.parent
    folders = (
        "src/nlgauge/engine/models/pocket",
        "packages/nlgauge-base/src/nlgauge_base/model",
        "packages/nlgauge-lab/src/nlgauge_lab/written",
    )
    there = {path.relative_to(root).as_posix() for folder in folders for path in (root / folder).glob("*.md")}
    assert set(homes(DOCS)) == there
