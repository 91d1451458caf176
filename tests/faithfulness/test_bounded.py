"""Work grows with the length of the texts, and not with its square, whatever they repeat."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import pytest

import nlgauge
from nlgauge.engine.aligners import Direction
from nlgauge.faithfulness.aligner import Answer, differences
from nlgauge.faithfulness.claims import claims
from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.exact_checks import CheckedSource
from nlgauge.faithfulness.forms import forms_of
from nlgauge.faithfulness.operands import MOST_PASSAGES, Passages, SourceSentence
from nlgauge.faithfulness.quantities import EqualQuantities, quantities, same
from nlgauge.faithfulness.refusals import honesty, refusals


def calls(work: Callable[[], object]) -> int:
    """The functions that are called, of Python and of C."""
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def grows_too_fast(seconds: Callable[[int], float], small: int, large: int, tries: int, rest: float) -> bool:
    """Whether four times the text takes nine times as long, at best: 4 times is fine, and 16 times is the square."""
    most = 9 * min(seconds(small) for _ in range(tries)) + rest
    return all(seconds(large) >= most for _ in range(tries))  # mostly, the first try is fast enough


def numbers(many: int) -> str:
    """Different amounts, ten to a line; those of two lengths are equal as far as both go."""
    rng = random.Random(5)
    return "".join(f"{rng.randrange(10**6)} euros{', ' if n % 10 else chr(10)}" for n in range(many))


def prose(many: int) -> str:
    rng = random.Random(6)
    words = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(400)]
    return "".join(f"The {' '.join(rng.choices(words, k=8))} {rng.randrange(99)}. " for _ in range(many))


@pytest.mark.parametrize(
    "written",
    [
        numbers,
        prose,
        lambda n: "Up, down, not. " * n,
        lambda n: "1 " * n,
        lambda n: "Rooms 1 to 9 rose; Ann Lee fell. " * n,
        lambda n: "Until 2010 the fee was 10 euros. Now 5 dogs run. The fee is 10 euros. " * n,
        lambda n: "Wash the red cup before you dry the pan. Dry the pan before you wash the red cup. " * n,
    ],
)
def test_twice_the_text_is_about_twice_the_work(written: Callable[[int], str]) -> None:
    def work(many: int) -> Callable[[], object]:
        text, source = written(many), written(many)[::-1] + written(many)
        return lambda: (claims(text, forms_of([source])), CheckedSource([source]).differences(text))

    work(3)()
    assert calls(work(200)) < 2.5 * calls(work(100))


def test_refusals_are_searched_for_in_a_source_that_is_read_once() -> None:
    def work(many: int) -> Callable[[], object]:
        source = (prose(many),)
        return lambda: [honesty(f"the price of item {n}", "", source) for n in range(many)]

    assert calls(work(200)) < 2.5 * calls(work(100))


@pytest.mark.parametrize(
    ("begin", "repeated"),
    [
        ("", "www."),
        ("", "http://."),
        ("", " "),
        ("(", " "),
        ("(see", "\t"),
        ("[", "1†,"),
        ("", "; "),
        ("", "<b "),
        ("", "**a "),
        ("", "!["),
        ("", "- sources:\n"),
        ("", "not a "),
        ("", "no "),
        ("", "all, except "),
        ("", "yesterday "),
        ("", "until 5 "),
        ("", "a@"),
        ("", "https://a.b "),
        ("{", '"a": 1, '),
        ("", "<a>b</a>"),
        ("", "a: b\n"),
        ("", "a,b\n"),
        ("1", "1"),
    ],
)
def test_no_pattern_goes_back_again_and_again(begin: str, repeated: str) -> None:
    def seconds(size: int) -> float:
        text = begin + repeated * (size // len(repeated))
        started = time.thread_time()
        claims(text, forms_of([text]), text)
        refusals(text)
        CheckedSource([text]).differences(text, text)
        return time.thread_time() - started

    assert not grows_too_fast(seconds, 4_000, 16_000, tries=3, rest=0.02)


PAIRS: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "names of one sentence": (
        lambda n: "".join(f"Ferry leaves in Berlin {i} now. " for i in range(n)),
        lambda n: "ferry leaves now in Hamburg " * n,
    ),
    "clauses of one sentence": (
        lambda n: "".join(f"The ferry {i} is open, not shut. " for i in range(n)),
        lambda n: "the ferry is shut, " * n,
    ),
    "numbers of one sentence": (
        lambda n: "".join(f"The ferry {i} costs 12 euros. " for i in range(n)),
        lambda n: "the ferry costs " + "".join(f"{i * i} euros, " for i in range(n)),
    ),
    "a number without an end": (lambda n: "The ferry costs 12 euros. It took 13. " * n, lambda n: "1" * 40 * n),
    "a name without an end": (
        lambda n: "".join(f"The ferry {i} leaves in Berlin. " for i in range(n)),
        lambda n: "The ferry leaves in A" + "a" * 40 * n,
    ),
    "records": (
        lambda n: "".join(f"Room A{i} is free. " for i in range(n)),
        lambda n: "[" + ",".join(f'{{"name": "A{i}", "free": false}}' for i in range(n)) + "]",
    ),
    "records that are alike": (
        lambda n: "".join(f"Room {i}b is free. Room A is free, {i}. " for i in range(n)),
        lambda n: "[" + ",".join(['{"name": "A", "free": false}'] * n) + "]",
    ),
    "what is cheapest": (
        lambda n: "".join(f"The cheapest is Anna {i}x. " for i in range(n)),
        lambda n: "".join(f"Anna costs {i} euros and Bob costs {i + 1} euros. " for i in range(n)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_twice_an_answer_beside_twice_a_source_is_about_twice_the_work(name: str) -> None:
    answer, source = PAIRS[name]

    def seconds(many: int) -> float:
        text, other = answer(many), source(many)
        facts.cache_clear()
        started = time.thread_time()
        said = claims(text, forms_of([other]))
        found = CheckedSource([other]).differences(said.text)
        passed = time.thread_time() - started
        assert sum(len(one.reason) for one in found) < 100 * (len(found) + 1), "a reason quotes no long text"
        return passed

    assert not grows_too_fast(seconds, 200, 800, tries=2, rest=0.05)


def test_equal_quantities_are_those_that_are_the_same() -> None:
    texts = (
        "9:00, 9 a.m., 9 p.m., 21:00, 9:00:30, noon, 12.000, 12000, 12 and a half, 5 CHF, $5, 5 pounds, €5, 5 kroner",
        "5 SEK, 20 °C, 68 °F, 20 degrees, 3 May 1987, May 1987, on May 3, 01/05/1967, in 1967, in May, +47 555 0199",
        "0555-0199, 555-0199, v2.3.1, 2.3.1, half, 50 %, a minute, 60 seconds, first, 1, -5, 1 km, 1001 m, 0.62 miles",
        "AB-1234, ab1234, 12th, the eighties, 1980s, Monday, 1.5 hours, 90 minutes, 1h 30min, 16:40, 7:15, two thirds",
    )
    every = [one for text in texts for one in quantities(text)]
    found = EqualQuantities(every)
    for one in every:
        assert set(found.same(one)) == {n for n, other in enumerate(every) if same(one, other)}


def joined(make: Callable[[random.Random], str], between: str) -> Callable[[int], str]:
    def made(size: int) -> str:
        rng = random.Random(7)
        return between.join(make(rng) for _ in range(size // 4))[:size]

    return made


KINDS: dict[str, Callable[[int], str]] = {
    "numbers": joined(lambda rng: str(rng.randrange(10**6)), " "),
    "dates": joined(lambda rng: f"{rng.randrange(1, 28)} May {rng.randrange(1900, 2030)}", ", "),
    "days": joined(lambda rng: f"{rng.randrange(1900, 2030)}-{rng.randrange(1, 13):02}-12", " "),
    "times": joined(lambda rng: f"from {rng.randrange(24)}:{rng.randrange(60):02} to {rng.randrange(24)}", " "),
    "blanks": lambda size: " " * size,
    "quotes": lambda size: '"' * size,
    "brackets": lambda size: "(" * size,
    "commas": lambda size: "," * size,
    "hyphens": lambda size: "-" * size,
    "one word": lambda size: "a" * size,
    "links": joined(lambda rng: f"www.a{rng.randrange(99)}.org/{rng.randrange(10**6)}", " "),
    "nested": lambda size: '{"a": [' * (size // 9) + "]}" * (size // 9),
    "marks": lambda size: "e" + "\u0301" * (size - 1),
    "emoji": lambda size: ("👩\u200d👧🏽" * size)[:size],
    "YAML": joined(lambda rng: f"room{rng.randrange(99)}:\n  - price: {rng.randrange(999)}", "\n"),
    "aliases": joined(lambda rng: f"a{rng.randrange(99)}: &x [*x, *x, *x]", "\n"),
    "CSV": joined(lambda rng: f"Room {rng.randrange(99)},{rng.randrange(999)},yes", "\n"),
    "XML": joined(lambda rng: f"<room><name>A{rng.randrange(99)}</name><price>{rng.randrange(99)}</price></room>", ""),
    "a table": joined(lambda rng: f"| Room {rng.randrange(99)} | {rng.randrange(999)} |", "\n"),
    "refusals": lambda size: ("The source does not say. " * size)[:size],
    "prose": lambda size: prose(size // 60)[:size],
    "Chinese": lambda size: ("渡轮每天早上九点开船。" * size)[:size],
}
SIZE = 3_000
"""Where each sentence, number or mark is compared with each other one, that takes more than the calls below"""
MOST_CALLS = 100
"""For each character of a row's texts: the most that any kind of text takes is 71"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["answer", "source", "question"])
def test_the_calls_that_a_row_takes_are_bounded_by_its_characters(kind: str, place: str) -> None:
    texts = {"answer": "A ticket costs 4 euros.", "source": "A ticket costs 5 euros.", "question": "What is due?"}

    def work() -> None:
        facts.cache_clear()
        said = claims(texts["answer"], forms_of([texts["source"]]), texts["question"])
        CheckedSource([texts["source"]]).differences(said.text, texts["question"])
        for one in said.refusals:
            honesty(one.topic, texts["question"], [texts["source"]])

    texts[place] = KINDS[kind](SIZE // 30)
    work()  # what is made once, such as a table of characters
    texts[place] = KINDS[kind](SIZE)
    assert calls(work) < MOST_CALLS * SIZE


def test_a_row_of_more_text_than_is_bounded_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Direction("candidate", "It costs 4 euros.", "source", ("It costs 5 euros.",), question="What is due?")
    size = len(row.text) + len(row.others[0]) + len(row.question)
    monkeypatch.setattr("nlgauge.faithfulness.aligner.MOST_CHARACTERS", size)
    assert Answer(row).unread is None and len(differences(row)) == 1
    monkeypatch.setattr("nlgauge.faithfulness.aligner.MOST_CHARACTERS", size - 1)
    read = Answer(row)
    assert read.unread is not None and f"{size} characters, and at most {size - 1} are checked" in read.unread
    assert not read.said.text and differences(row) == ()


def test_such_a_row_has_no_value_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.faithfulness.aligner.MOST_CHARACTERS", 60)
    rows = [{"candidate": "It costs 4 euros.", "source": "It costs 4 euros. " * n} for n in (1, 9)]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", cache=False, evidence=True)
    value, nothing = table.values("Faithfulness")
    assert value > 0.5 and nothing != nothing
    verdict = nlgauge.check(table, grounded=True)
    assert [one.state for one in verdict.outcomes if one.row is not None] == ["passed", "missing"]
    assert "give the passages that the answer is about" in str(verdict.outcomes[1].problem)


def test_passages_are_found_by_their_stems_as_if_each_were_looked_at() -> None:
    """All passages that have most of some stems, where the source is so short that none is left out."""
    rng = random.Random(2)
    words = ["ferry", "bridge", "garden", "museum", "council", "winter", "library"]
    read = Passages([SourceSentence(f"The {' '.join(rng.sample(words, 3))} costs {n} euros. ") for n in range(8)])
    looked_at = 0
    for _ in range(200):
        stems = {word[:5] for word in rng.sample(words, rng.randrange(1, 6))}
        found = read.near(stems)
        wanted = [passage for passage in read._all if 2 * len(stems & passage.stems) > len(stems)]
        assert [passage for passage in found if 2 * len(stems & passage.stems) > len(stems)] == wanted
        looked_at += len(found)
    assert looked_at < 200 * len(read._all)


def test_few_passages_of_a_long_source_are_looked_at() -> None:
    read = Passages([SourceSentence(f"The ferry costs {n} euros. ") for n in range(500)])
    assert len(read.near({"ferry", "euro"})) == MOST_PASSAGES
