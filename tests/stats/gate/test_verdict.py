"""A verdict in words: its headline, why a row fails, and its tables in a console and in a notebook."""

from __future__ import annotations

from dataclasses import replace

from nlgauge.stats.gate import Outcome, Unsupported, Verdict

PASSED = Outcome("bot", "a", 1, 0.9, "passed", None, finding="supported", answer="It opens at nine.")
TEXT = "It opens at nine, and <b>tea</b> is free."
INVENTED = Outcome(
    "bot", "b", 2, 0.125, "failed", "0.1250 is below 0.35", (Unsupported("candidate", "source", TEXT, ((22, 32),)),),
    "not found", TEXT,
)  # fmt: skip
OTHER = replace(INVENTED, row=3, finding="contradicted", reasons=("9 pm: the source has 9 am", "two: the source has 3"))
UNSURE = Outcome("bot", "d", 4, 0.38, "unsure", "cannot say: 0.38 is between 0.35 and 0.41", (), "cannot say", "Yes.")


def verdict(*outcomes: Outcome) -> Verdict:
    return Verdict("M", "p", True, 0.35, None, 0.05, outcomes)


def test_why_is_the_difference_then_the_words_then_the_number() -> None:
    assert OTHER.why == "9 pm: the source has 9 am; two: the source has 3"
    assert INVENTED.why == "the source does not say it: “<b>tea</b>”"
    assert UNSURE.why == UNSURE.problem
    assert replace(INVENTED, finding=None).why == "0.1250 is below 0.35"
    assert replace(PASSED, reasons=("nine: the source has ten",)).why == ""


def test_the_headline_counts_what_fails() -> None:
    assert verdict(PASSED, INVENTED, OTHER).headline == "2 of 3 answers fail"
    assert verdict(PASSED, PASSED).headline == "All 2 answers pass"
    assert verdict(INVENTED).headline == "The answer fails"
    assert verdict().headline == "Nothing was checked"
    gone = Outcome("bot", "z", None, float("nan"), "missing", "the baseline has this row, and the outputs do not")
    assert verdict(PASSED, gone).headline == "The answer passes, and 1 of the earlier run is missing"
    system = Outcome("bot", None, None, 0.1, "failed", "0.1 is below 0.35")
    assert verdict(system, replace(system, state="passed")).headline == "1 of 2 systems fail"


def test_a_console_and_a_notebook_show_what_fails_and_why() -> None:
    found = verdict(PASSED, INVENTED, UNSURE)
    first, head, *rows = repr(found).splitlines()
    assert first == "2 of 3 answers fail (1 supported, 1 not found, 1 cannot say)."
    assert head.split() == ["row", "item", "verdict", "why"]
    assert [row.split()[:2] for row in rows] == [["2", "b"], ["4", "d"]]
    html = found._repr_html_()
    assert "It opens at nine, and &lt;b&gt;tea&lt;/b&gt; is free." in html and "0.12" in html
    assert "<b>tea" not in html and "It opens at nine." not in html
    many = verdict(*(replace(INVENTED, row=number) for number in range(1, 26)))
    assert many._repr_html_().count('<tr><th scope="row"') == 20 and "5 more rows fail." in many._repr_html_()
    assert found.record["rows"][1]["why"] == INVENTED.why
