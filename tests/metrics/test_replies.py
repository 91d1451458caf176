"""What a judge's reply is read as: the label where the reply is of the grammar, and nothing anywhere else."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Mapping
from typing import Any

import pytest

from nlgauge.metrics.answers import Chat
from nlgauge.metrics.final_text import final_text
from nlgauge.metrics.reading import Failure, Read
from nlgauge.metrics.replies import abstains, label_of

YES_NO = {"yes": 1.0, "no": 0.0}
SCALE = {str(number): float(number) for number in range(1, 6)}
GOOD_BAD = {"good": 1.0, "bad": 0.0}
SUPPORTED = {"supported": 1.0, "not supported": 0.0}


def label(reply: str, labels: Mapping[str, float] = YES_NO) -> str | None:
    found = label_of(reply, labels)
    return None if found is None else found.label


@pytest.mark.parametrize(
    "reply",
    [
        *("There is no doubt that the answer is supported.", "The answer contains no unsupported statement."),
        *("Not yes.", "I cannot answer with yes", "The answer is not 'yes'.", "It is not no", "~~yes~~", "yes?"),
        *("I have no idea.", "There is no source here, so I can't tell.", "no errors detected", "No doubt about it."),
        *("yes or no", "Yes and no.", "Yes, no.", "Yes/No", "No. 5 of the claims is right.", "No-one said so."),
        *(
            "Yes, but one statement is not in the source.",
            "Yes, partly.",
            "Yes. Wait, it does not say so.",
            "Yes, or no",
        ),
        *("Yes. Therefore the answer is no.", "No: it's yes", "Yes. No, it is not.", "Yes, no it is not.", "Yes. No!"),
        *("Yes, it seems so at first; in the end: no", "Unsupported: yes", "Is it supported: no errors", "I think so"),
        *("The answer is not\nyes", "I would not say\nyes", "There isn't a\nno", "Claim 1:\nyes\nClaim 2:\nno", "1"),
        *('{"answer": "yes", "answer": "no"}', '{"answer": "maybe"}', '{"answer": ["yes"]}', '{"reason": "yes"}'),
        *('{"answer": "yes", "verdict": "no"}', '{"answer": "yes"} {"answer": "no"}', '{"answer": "ye', '{"a": 1}'),
        *('I would never say {"answer": "yes"}', 'no\n{"answer": "yes"}', '{"answer": "yes"}\nno', "{'answer': no()}"),
        *(
            "",
            " ",
            "**",
            "```\n```",
            "yess",
            "yes no",
            "Answer yes",
            "Reason: yes",
            "maybe no, it could be yes",
            "-yes",
        ),
    ],
)
def test_what_is_not_of_the_grammar_has_no_label(reply: str) -> None:
    assert label(reply) is None


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        *(
            (text, "yes")
            for text in ("yes", "Yes.", "YES!", " yes\n", "**Yes**", "**Yes.**", "*yes*", "_yes_", "`yes`")
        ),
        *(
            (text, "yes")
            for text in ('"yes"', "'yes'", "“Yes”", "[yes]", "(yes)", "[[yes]]", "# Yes", "> yes", "* yes")
        ),
        *((text, "yes") for text in ("Answer: yes", "**Answer:** yes", "**Answer**: **Yes**", "Verdict: [yes]")),
        *((text, "yes") for text in ("The answer is yes.", "The answer is: yes", "So the final answer is **yes**.")),
        *((text, "yes") for text in ("```\nyes\n```", "```yes```", "<answer>yes</answer>", "<answer>\nyes\n</answer>")),
        *(
            (text, "yes")
            for text in ("\\boxed{yes}", "$\\boxed{\\text{Yes}}$", "yes\nyes", "The source says so.\n\nYes")
        ),
        *(
            (text, "yes")
            for text in (
                "Yes, no doubt!",
                "Yes. No errors were found.",
                "Yes: no claim is wrong",
                "There is no doubt.\nAnswer: yes",
                "Yes, there is no doubt.",
                "Yes: it says so.",
            )
        ),
        *((text, "yes") for text in ("Yes – the source says so.", "Yes\n\nThe source says so.", "**Yes**, it does.")),
        *((text, "yes") for text in ('{"answer": "yes"}', "{'answer': 'Yes'}", '{"verdict": true}', '{"x": "yes"}')),
        *((text, "yes") for text in ('```json\n{"answer": "yes"}\n```', 'I found it. {"answer": "yes"}', '"yes"')),
        *(
            (text, "yes")
            for text in ('Here it is:\n```json\n{"answer": "yes"}\n```', '{"reason": "no", "answer": "yes"}')
        ),
        *((text, "yes") for text in ('{"answer": "yes"}\nThe source says so.', '{"label": "yes", "score": 0.3}')),
        *((text, "no") for text in ("No, it is not yes", "No, not all of it is there.", "No. It is not supported.")),
        *((text, "no") for text in ("First: is it there? yes.\nFinal answer: no", '{"Answer": " NO "}')),
        ("Is the date right?\nAnswer: yes\n\nFinal verdict: no", "no"),
    ],
)
def test_what_is_of_the_grammar_has_its_label(reply: str, wanted: str) -> None:
    found = label_of(reply, YES_NO)
    assert found is not None and found.label == wanted
    if found.place is not None:
        assert reply[found.place : found.place + len(wanted)].casefold() == wanted
    else:
        assert "true" in reply


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        *((text, "4") for text in ("4", "4.", "4.0", "4.00", "4/5", "4 / 5", "4 out of 5", "4.0/5.0", "**4**/5")),
        *(
            (text, "4")
            for text in (
                "Score: 4/5",
                "4 (out of 5)",
                "4/5 stars",
                "4 stars",
                "Rating: [[4]]",
                "The score is 4 out of 5.",
                "4\n\nIt has 2 slips.",
            )
        ),
        *((text, "4") for text in ('{"score": 4.0}', '{"score": "4/5"}', "{'score': 4}", '{"score": 4, "max": 5}')),
        *((text, "4") for text in ("Two slips.\nScore: 4", '{"explanation": "2 slips", "points": 4}')),
        *(
            (text, None)
            for text in ("There are 2 errors.", "I found 3 claims, all fine.", "-1", "-4", "- 4", "+4", "4.5")
        ),
        *(
            (text, None)
            for text in ("1. The answer is good. Score 5", "4/10", "4 out of 10", "4%", "#4", "$4", "04", "9")
        ),
        *(
            (text, None)
            for text in ("1, 2 and 5 are wrong", "2: the date is wrong", "1.\nIt is good.\n5", "4 of 6", "4 5")
        ),
        *(
            (text, None)
            for text in ('{"score": true}', '{"score": 4.5}', '{"score": -4}', '{"score": NaN}', "1e0", "٤")
        ),
        *((text, None) for text in ("Score: 4\nScore: 5", "four", "4*5", "I give it 4.", "3 - 4", "1 2 3")),
    ],
)
def test_numbers_are_read_where_they_are_the_score(reply: str, wanted: str | None) -> None:
    assert label(reply, SCALE) == wanted


def test_labels_of_other_words() -> None:
    assert label("This is not good.", GOOD_BAD) is None
    assert label("Good, but short.", GOOD_BAD) is None
    assert label("Good: it says all.", GOOD_BAD) == "good"
    assert label("not excellent", {"excellent": 2.0, "poor": 0.0}) is None
    assert label("Not supported.", SUPPORTED) == "not supported"
    assert label("Not supported: the date differs.", SUPPORTED) == "not supported"
    assert label("It is not supported.", SUPPORTED) is None
    assert label("A. Paris is right. B. Rome is wrong.", {"a": 1.0, "b": 0.0}) is None
    assert label("Answer: B", {"a": 1.0, "b": 0.0}) == "b"
    assert label("-1", {"-1": -1.0, "0": 0.0, "1": 1.0}) == "-1"
    assert label("0.50", {"0": 0.0, "0.5": 0.5, "1": 1.0}) == "0.5"
    assert label('{"label": false}', {"true": 1.0, "false": 0.0}) == "false"


PREFIXES = r"(?:(?:so|thus|therefore|hence)\W+)?(?:(?:the|my)\s+)?(?:(?:final|overall)\s+)?"
NOUNS = r"(?:answer|verdict|label|score|rating|grade|judge?ment|decision|result|conclusion|assessment|evaluation)"
WORDS = re.split(
    " ",
    "yes no not Yes No good bad supported the answer is are was a there doubt that statement source contains all it I "
    "cannot tell say with errors and or but so because 1 2 3 4 5 10 4.5 -1 4/5 out of Score Answer: Final verdict: "
    "The answer is: reason: then wait nothing every none maybe",
)
BETWEEN = (" ", " ", " ", " ", " ", ", ", ". ", "\n", ": ", "; ", " – ", "\n\n", "/", "-", "? ", "! ")
AROUND = (
    "{}",
    "{}",
    "{}",
    "{}",
    "{}",
    "{}",
    "**{}**",
    '"{}"',
    "'{}'",
    "[{}]",
    "({})",
    "`{}`",
    "*{}*",
    "<b>{}</b>",
    "{}.",
)


def text_of(drawn: random.Random) -> str:
    pieces = [drawn.choice(AROUND).format(drawn.choice(WORDS)) for _ in range(drawn.randint(1, 9))]
    return "".join(piece + drawn.choice(BETWEEN) for piece in pieces[:-1]) + pieces[-1]


def perhaps(text: str, labels: Mapping[str, float]) -> bool:
    """Whether a text may be of the grammar: a second, looser way to say it."""
    bare = re.sub(r"</?b>", "", text)
    names = "|".join(re.escape(name) for name in labels)
    marks = r"[^\w\n+%#$~?-]|_"
    share = r"(?:(?:\.0+)?(?:\W*(?:/|out of)\W*[0-9.]+)?)" if "1" in labels else ""
    prefix = rf"(?:{PREFIXES}{NOUNS}[*_`]*(?:\s+is\b\s*:?|\s*:)[\W_]*)?"
    line = re.compile(rf"(?:{marks})*{prefix}(?:{marks})*(?:{names}){share}(?:{marks})*", re.IGNORECASE)
    led = re.compile(
        rf"(?:{marks})*{prefix}(?:{marks})*(?:{names})[*_`\"')\]]*(?:[.,:;!](?!\w)|\s[–—-]\s)", re.IGNORECASE
    )
    lines = [one for one in bare.split("\n") if re.search(r"\w", one)]
    if not lines:
        return False
    return any(line.fullmatch(one) for one in (lines[0], lines[-1])) or led.match(lines[0]) is not None


@pytest.mark.parametrize(
    ("labels", "count"), [(YES_NO, 20_000), (SCALE, 5_000), (GOOD_BAD, 5_000)], ids=["yes", "scale", "good"]
)
def test_no_random_text_outside_the_grammar_has_a_label(labels: Mapping[str, float], count: int) -> None:
    drawn = random.Random(53)
    outside = read = 0
    for _ in range(count):
        text = text_of(drawn)
        found = label_of(text, labels)
        read += found is not None
        if not perhaps(text, labels):
            outside += 1
            assert found is None, text
    assert outside > count / 2 and read > count / 100, "both kinds were drawn"


def test_random_objects_have_the_label_of_one_of_their_fields() -> None:
    drawn = random.Random(53)
    names = ("answer", "verdict", "score", "label", "reason", "explanation", "other", "Answer", "claims")
    values: tuple[Any, ...] = (
        "yes",
        "no",
        "Yes.",
        "not yes",
        True,
        False,
        None,
        1,
        0.5,
        ["yes"],
        {"answer": "yes"},
        "",
    )
    same = {"yes": "yes", "no": "no", "Yes.": "yes", True: "yes", False: "no"}
    read = 0
    for _ in range(5_000):
        record = {drawn.choice(names): drawn.choice(values) for _ in range(drawn.randint(0, 4))}
        text = json.dumps(record) if drawn.random() < 0.7 else repr(record)
        cut = drawn.random() < 0.2
        found = label(text[: drawn.randrange(len(text))] if cut else text)
        said = [
            (name.lower(), value) for name, value in record.items() if isinstance(value, str | bool) and value in same
        ]
        named = {same[value] for name, value in said if name in ("answer", "verdict", "score", "label")}
        others = {same[value] for name, value in said if name in ("other", "claims")}
        read += found is not None
        assert found is None or (named or others) == {found}, text
        assert not (cut and found), text
    assert read > 500


def test_any_text_is_read_without_an_error() -> None:
    drawn = random.Random(7)
    pieces = [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        "answer",
        "yes",
        "no",
        "\\",
        "```",
        "\n",
        "<think>",
        "</think>",
        "*",
        " ",
    ]
    for _ in range(5_000):
        text = "".join(drawn.choice(pieces) for _ in range(drawn.randint(0, 25)))
        label(final_text({"content": text}).text)
    for text in (
        "{" * 20_000,
        "[" * 20_000,
        "*" * 20_000,
        "{'a':" * 5_000,
        '"' * 20_000,
        "-" * 20_000,
        "yes\n" * 20_000,
        "\n" * 50_000 + "yes",
        "Yes, " + "." * 50_000,
        "<|im_end|> " * 10_000,
    ):
        began = time.process_time()
        label(final_text({"content": text}).text)
        assert time.process_time() - began < 2, "no reply holds a run up"


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("<think>yes</think>no", "no"),
        ("<think>no?</think>Yes", "Yes"),
        ("maybe no, it could be yes\n</think>\n\nNo", "No"),
        ("<THINKING>a</THINKING> b", "b"),
        ("[THINK]yes[/THINK]no", "no"),
        ("◁think▷yes◁/think▷no", "no"),
        ("<think>a</think>b<think>c</think>d", "d"),
        ("<think>the tag </think> ends it</think>yes", "yes"),
        ("<|channel|>analysis<|message|>yes<|end|><|start|>assistant<|channel|>final<|message|>no<|return|>", "no"),
        ("<|channel|>final <|constrain|>json<|message|>{}", "{}"),
        ("analysisIt says yes.assistantfinalNo", "No"),
        ("Here is my thought process: yes. Here is my response: no", "no"),
        ("yes<|im_end|>", "yes"),
        ("yes</s>", "yes"),
        ("yes <|im_end|>\n<|endoftext|>\n", "yes"),
        ([{"type": "text", "text": "Yes"}], "Yes"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "no"}]}, {"type": "text", "text": "Yes"}], "Yes"),
        ([{"type": "reasoning", "text": "no"}, {"type": "output_text", "text": "Yes"}], "Yes"),
        ([{"text": "no", "thought": True}, {"text": "Yes"}], "Yes"),
        ({"type": "text", "text": "Yes"}, "Yes"),
        ([{"type": "text", "text": {"value": "Yes", "annotations": []}}], "Yes"),
        (["Y", "es"], "Yes"),
        ([], ""),
        (None, ""),
        (3, ""),
    ],
)
def test_the_final_answer_is_what_is_behind_the_thoughts(content: object, wanted: str) -> None:
    message = {"content": content, "reasoning_content": "yes", "reasoning": "yes", "thinking": "yes"}
    assert final_text(message) == (wanted, False, None, None)


@pytest.mark.parametrize(
    "content", ["<think>yes", "yes <think>no", "<think>a</think><think>yes", "<|channel|>analysis<|message|>yes"]
)
def test_a_thought_without_an_end_has_no_answer(content: str) -> None:
    assert final_text({"content": content}) == ("", True, None, None)


def test_parts_that_are_no_text_are_told() -> None:
    assert final_text({"content": [{"type": "image_url"}, {"type": "text", "text": "yes"}]}).unknown == "image_url"
    assert final_text({"content": [3]}).unknown == "int"
    assert final_text({"content": [{"type": "refusal", "refusal": "I will not"}]}).refusal == "I will not"


CHAT = Chat(YES_NO, "m", 16, 0.0, False, True)


def reply_of(content: str, tokens: list[tuple[str, float]], finish: str = "stop") -> dict[str, Any]:
    """A reply whose tokens have each their own probability of yes."""
    listed = [
        {
            "token": token,
            "logprob": -0.1,
            "top_logprobs": [
                {"token": word, "logprob": logprob} for word, logprob in (("yes", log(p)), (" No", log(1 - p)))
            ],
        }
        for token, p in tokens
    ]
    choice = {"message": {"content": content}, "finish_reason": finish, "logprobs": {"content": listed}}
    return {"choices": [choice]}


def log(p: float) -> float:
    import math

    return math.log(p) if p > 0 else -9999.0


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        ("<think>yes</think>yes", [("<think>", 0.5), ("yes", 0.4975), ("</think>", 0.5), ("yes", 0.993)]),
        (
            "yes",
            [("<think>", 0.5), ("yes", 0.4975), ("</think>", 0.5), ("\n", 0.1), ("yes", 0.993), ("<|im_end|>", 0.5)],
        ),
        ("Yes is wrong there.\nAnswer: yes", [("Yes", 0.2), (" is wrong there.\nAnswer:", 0.1), (" yes", 0.993)]),
        (
            '{"reason": "yes", "answer": "yes"}',
            [('{"reason": "', 0.1), ("yes", 0.2), ('", "answer": "', 0.1), ('yes"}', 0.993)],
        ),
        ("**Yes**", [("**", 0.1), ("Yes", 0.993), ("**", 0.2)]),
        ("Yes, yes", [("▁Yes", 0.993), (",", 0.1), ("▁yes", 0.2)]),
    ],
)
def test_the_probability_is_that_of_the_label_at_its_place(content: str, tokens: list[tuple[str, float]]) -> None:
    found = CHAT.read(reply_of(content, tokens))
    assert isinstance(found, Read) and found.by_probability and found.number == pytest.approx(0.993)


def test_without_the_token_of_the_label_the_word_counts() -> None:
    for tokens in ([("no", 0.1)], [("y", 0.3), ("es", 0.2)], []):
        read = CHAT.read(reply_of("yes", tokens))
        assert isinstance(read, Read)
        assert read[:4] == (1.0, False, "yes", "")
    assert CHAT.read(reply_of('{"answer": true}', [('{"answer": true}', 0.2)]))[:4] == (1.0, False, "yes", "")


def test_the_reason_is_cached_beside_the_label() -> None:
    for content in (
        "The date is there.\nyes",
        "Yes, the date is there.",
        '{"reason": "The date is there.", "answer": "yes"}',
        'The date is there. {"answer": "yes"}',
    ):
        found = CHAT.read({"choices": [{"message": {"content": content}}]})
        assert isinstance(found, Read) and found.said.casefold() == "the date is there."


def test_why_a_reply_has_no_number() -> None:
    for content, finish, reason in (
        ("<think>hm", "length", "the answer ends in a thought, and is cut: most_tokens is too small"),
        ("<think>hm", "stop", "the answer ends in a thought: there is no answer behind it"),
        ([{"type": "audio"}], "stop", "the answer has a part of the type 'audio', which is no text"),
        ("There is no source here, so I can't tell.", "stop", 'the judge cannot tell: "There is no source here'),
        ('{"answer": null}', "stop", "the judge cannot tell: "),
        ("There is no doubt.", "stop", "the answer 'There is no doubt.' is none of 'yes', 'no'"),
    ):
        found = CHAT.read({"choices": [{"message": {"content": content}, "finish_reason": finish}]})
        assert isinstance(found, Failure) and found.reason.startswith(reason)
        assert found.abstains == ("cannot tell" in reason)
    for said in ("I have no idea.", "I cannot determine it.", "N/A", "It is unclear.", "I don't know"):
        assert abstains(said)
    for said in ("There is no doubt.", "It says nothing of that.", "none of the claims is wrong"):
        assert not abstains(said)


def test_a_number_that_may_be_cut_is_no_number() -> None:
    chat = Chat({str(number): float(number) for number in range(1, 11)}, "m", 1, 0.0, False, False)
    for content, finish, read in (
        ("1", "length", False),
        ("1", "stop", True),
        ("2", "length", True),
        ("1.", "length", True),
    ):
        found = chat.read({"choices": [{"message": {"content": content}, "finish_reason": finish}]})
        assert isinstance(found, Read) == read, content
