"""Tokenizers that could take time or memory without end are refused by their structure, and common ones are not."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from nlgauge.engine.tokenizer_check import checked, refuse_harmful
from nlgauge.errors import SpecError

TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
COMMON = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + TAIL,
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + TAIL,
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|" + TAIL,
    r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r" {2,}",
    r"\s+",
    r"\s+$",
    r" +▁",
    r"^▁+$",
    r"\A +| +\z",
    r"[0-9][0-9][0-9]",
    r"\A▁",
    r"\s{2,}|[\n\r\t]",
    r"(?=(\d{3})+(?!\d))",
    r"(\d{3})+",
    r"[一-龥ࠀ-一가-퟿]+",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+",
    r"[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*",
]
HARMFUL = [
    r"(a+)+$",
    r"(a*)*b",
    r"(a|a)*b",
    r"(a|aa)+$",
    r"(?:a+)+?b",
    r"(a?){30}a{30}",
    r"a?" * 30 + r"a{30}",
    r"\w+\w+z",
    r"\w*\w*\w*z",
    r"[\s\S]*z",
    r".*z",
    r"(.*)\1",
    r"(?<x>a|b\g<x>)*",
    r"(?i)(a+)+",
    r"(?x)a # (",
    r"(?~a)",
    r"a++b",
    r"a**",
    r"a{2,}{2,}",
    r"(a{1000}){1000}",
    r"a{1,100000}",
    r"(\d{1,3})+z",
    r"((((((((((a))))))))))",
    r"[]a](b+)+]",
    r"\s+(?!\S)z",
    r"(a",
    r"a)",
    r"[a",
    "a\\",
    r"x" * 20_000,
    r"(?=a+b)c",
    r"(a+|b)",
    r"\X+",
    r"(a|a)" * 30 + "b",
    r"[ab]{0,9}" * 10 + "c",
    "[^a]" * 2400 + "(",
    "[^a]?" * 1900,
    r"a?" * 30 + "$",
    r"[^]a]",
    r"(a|b)+c",
    r"a{2}{3}",
    r"\s+$b",
    r" +\zb",
]


def regex(pattern: str, **more: Any) -> dict[str, Any]:
    return {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": pattern}, **more}}


def replaced(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


@pytest.mark.parametrize("pattern", COMMON)
def test_patterns_of_common_tokenizers_are_used(pattern: str) -> None:
    refuse_harmful(regex(pattern), "t")
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
    checked(tokenizer.to_str(), "t")
    for text in ("a" * 20_000, " " * 20_000, "1" * 20_000, "a " * 10_000, "Aa1,\n" * 4000, "東" * 20_000):
        assert len(tokenizer.encode(text)) > 0  # in a moment


@pytest.mark.parametrize("pattern", HARMFUL, ids=range(len(HARMFUL)))
@pytest.mark.parametrize("where", ["split", "replace", "nested"])
def test_a_pattern_that_goes_back_over_a_long_match_is_refused(pattern: str, where: str) -> None:
    definition = regex(pattern)
    if where == "replace":
        definition = {"normalizer": replaced({"Regex": pattern}, "")}
    if where == "nested":
        inner = {"type": "Sequence", "pretokenizers": [definition["pre_tokenizer"]]}
        definition = {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [inner]}}
    with pytest.raises(SpecError, match="t is not a tokenizer that is safe to use: ") as failure:
        refuse_harmful(definition, "t")
    assert len(str(failure.value)) < 200 and "\n" not in str(failure.value)


def charsmap(*pieces: bytes, table: int = 8) -> dict[str, Any]:
    content = table.to_bytes(4, "little") + bytes(8) + b"\0".join(pieces)
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(content).decode()}


@pytest.mark.parametrize(
    "steps",
    [
        [replaced({"String": "a"}, "a" * 17)],
        [replaced({"String": "a"}, "aa")] * 5,
        [replaced({"Regex": "[ab]"}, "abc")] * 3,
        [replaced({"String": ""}, "a")],
        [replaced({"Regex": "a*"}, "b")],
        [{"type": "Lowercase"}] * 65,
        [{"type": "Prepend", "prepend": "a" * 1000}],
        [charsmap(b"a" * 257)],
        [charsmap(b"a", table=1 << 20)],
        [charsmap(b"a", table=7)],
        [charsmap(b"a")] * 2,
        [charsmap(bytes(1 << 20))],
        [{"type": "Precompiled", "precompiled_charsmap": "no base64"}],
        [{"type": "Precompiled"}],
    ],
)
def test_steps_that_make_a_text_grow_are_refused(steps: list[dict[str, Any]]) -> None:
    for part, name in (("normalizer", "normalizers"), ("decoder", "decoders")):
        with pytest.raises(SpecError, match="safe to use"):
            refuse_harmful({part: {"type": "Sequence", name: steps}}, "t")


@pytest.mark.parametrize(
    "definition",
    [
        {"post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}] * 40}},
        {"post_processor": {"type": "TemplateProcessing", "special_tokens": {"x": {"ids": [1] * 40}}}},
        {"post_processor": {"type": "Sequence", "processors": [{"pair": [{}] * 40}]}},
        {"post_processor": {"type": "Sequence", "processors": [{}] * 100}},
        {"model": {"type": "WordPiece", "max_input_chars_per_word": 10**9}},
        [],
    ],
)
def test_frames_and_words_have_a_length(definition: object) -> None:
    with pytest.raises(SpecError, match="safe to use"):
        refuse_harmful(definition, "t")
