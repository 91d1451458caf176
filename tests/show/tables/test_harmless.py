"""What would steer a terminal, or turn a line round, is shown and does neither."""

from __future__ import annotations

import json

import pytest

from nlgauge.show.tables import harmless, harmless_json

STEERING = "\x00\x07\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"


@pytest.mark.parametrize("sign", STEERING, ids=ascii)
def test_a_sign_that_steers_is_replaced_one_for_one(sign: str) -> None:
    assert harmless(f"a{sign}b") == harmless(f"a{sign}b", lines=True) == "a\ufffdb"


def test_line_ends_and_tabs_are_left_where_lines_may_end() -> None:
    assert harmless("a\n\tb\rc", lines=True) == "a\n\tb\ufffdc"
    assert harmless("a\n\tb\rc") == "a\ufffd\ufffdb\ufffdc"


def test_what_letters_need_is_left() -> None:
    text = "é 日本 مرحبا שלום नमस्ते 👩\u200d🚀 e\u0301 a\u00a0b \u200c"
    assert harmless(text) == text


def test_json_stands_for_the_same_without_them() -> None:
    record = {"name " + STEERING: ["مرحبا", STEERING, 1.5]}
    text = harmless_json(json.dumps(record, ensure_ascii=False, indent=2))
    assert json.loads(text) == record
    assert not set(STEERING) & set(text)
