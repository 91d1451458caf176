"""The page: one document that loads nothing, and that a text cannot make run anything."""

from __future__ import annotations

import base64
import hashlib
import re

from nlgauge.serve import page

TEXT = page.HTML.decode()


def test_its_policy_allows_its_own_script_and_style_alone() -> None:
    policy = page.HEADERS["content-security-policy"]
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", TEXT, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.findall(r"\son\w+=|\sstyle=|javascript:", TEXT)


def test_its_script_makes_no_markup_of_a_text() -> None:
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", TEXT)


def test_every_field_has_a_label_and_every_name_that_is_used_is_there() -> None:
    fields = re.findall(r"<(?:textarea|select|input)[^>]* id=\"(\w+)\"|<(?:textarea|select|input) id=\"(\w+)\"", TEXT)
    names = {one or other for one, other in fields}
    assert names == {"question", "source", "answer", "metric", "key"}
    assert names <= set(re.findall(r"<label for=\"(\w+)\"", TEXT))
    assert set(re.findall(r"find\(\"(\w+)\"\)", TEXT)) <= set(re.findall(r" id=\"(\w+)\"", TEXT))


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_have_the_contrast_of_wcag_aa_in_light_and_dark() -> None:
    themes = [
        dict(re.findall(r"--([\w-]+): (#\w{6})", theme)) for theme in re.findall(r":root \{(.*?)\}", TEXT, re.DOTALL)
    ]
    assert len(themes) == 2
    pairs = [("ink", "paper", 4.5), ("ink", "soft", 4.5), ("on-accent", "accent", 4.5), ("on-mark", "mark", 4.5)]
    pairs += [
        ("bad", "paper", 4.5),
        ("good", "paper", 4.5),
        ("line", "paper", 3),
        ("line", "soft", 3),
        ("accent", "paper", 3),
    ]
    for theme in themes:
        for front, back, least in pairs:
            one, other = sorted((_luminance(theme[front]), _luminance(theme[back])))
            assert (other + 0.05) / (one + 0.05) >= least, (front, back)
