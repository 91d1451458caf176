"""Words of a text in any script."""

from __future__ import annotations

import pytest

from nlgauge.maths.text import word_spans, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The U.S. won't, 3.5 %!", ["the", "u", "s", "won", "t", "3", "5"]),
        ("Zürich – NAÏVE Straße", ["zürich", "naïve", "strasse"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("图书馆开放。", ["图", "书", "馆", "开", "放"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("a_b 🙂 ?!", ["a", "b"]),
        ("المكتبة تفتح", ["المكتبة", "تفتح"]),
        ("", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_places_are_those_in_the_text_as_it_is() -> None:
    text = "Straße, ŻÓŁW 图书 3.5"
    assert [text[begin:end] for begin, end in word_spans(text)] == ["Straße", "ŻÓŁW", "图", "书", "3", "5"]
