"""Evidence as lines of a terminal; tests/test_cli.py has it in commands."""

from nlgauge.cli.explain import drawn

TEXT = "The bridge fell, and five people sang."
QUOTES = [
    {"name": "source", "text": "The bridge\nfell.", "begin": 0, "end": 16},
    {"name": "context", "text": "People " + "who were there " * 9, "begin": 4, "end": 60},
]


def record(*words, **more):
    listed = [
        {"text": TEXT[begin:end], "begin": begin, "end": end, "alignment": alignment, **quote}
        for begin, end, alignment, quote in words
    ]
    return {"texts": [{"name": "candidate", "against": "source", "text": TEXT, "words": listed, "weak": 0.5, **more}]}


def test_spans_that_are_not_borne_out_stand_beside_the_nearest_sentence():
    words = (4, 10, 0.9, {"quote": 0}), (21, 25, 0.1, {}), (26, 32, 0.2, {"quote": 1}), (33, 37, 0.1, {})
    stretches = [
        {"begin": 0, "end": 16, "quotes": [0], "supported": 0.75},
        {"begin": 17, "end": 38, "quotes": [1], "supported": 0.25},
    ]
    lines = list(drawn(record(*words, unsupported=[[21, 37]], stretches=stretches, quotes=QUOTES), colour=False))
    assert lines == [
        "candidate, against the source:",
        "  The bridge fell, and [five] [people] [sang].",
        "  characters  not supported     the nearest sentence",
        "  21-37       five people sang  context 4-60: People who were there who were there who were t…",
        "  least supported: characters 17-38, 0.2500",
    ]
