"""The page: one document that loads nothing, and that a text cannot make run anything."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

from nlgauge.serve import page
from tests.contracts.browser import chromium

TEXT = page.HTML.decode()


def test_its_policy_allows_its_own_script_and_style_alone() -> None:
    policy = page.HEADERS["content-security-policy"]
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", TEXT, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    (own,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', TEXT)
    assert html.unescape(own) == policy.removesuffix("; frame-ancestors 'none'") != policy
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
    light, dark = {}, {}
    for theme in re.findall(r"@media \(prefers-color-scheme:dark\)\{:root\{(.*?)\}", TEXT, re.DOTALL):
        dark |= _colours(theme)
    for theme in re.findall(r"^:root\{(.*?)\}", TEXT, re.DOTALL | re.MULTILINE):
        light |= _colours(theme)
    assert light.keys() >= dark.keys() >= {"ink", "paper", "card", "bad", "bad-soft"}
    pairs = [(front, back, 4.5) for front in ("ink", "muted", "accent", "bad") for back in ("paper", "card")]
    pairs += [("paper", "accent", 4.5), ("muted", "card", 3)]
    pairs += [(state, f"{state}-soft", 4.5) for state in ("good", "warn", "bad")]
    for theme in (light, light | dark):
        for front, back, least in pairs:
            less, more = sorted((_luminance(theme[front]), _luminance(theme[back])))
            assert (more + 0.05) / (less + 0.05) >= least, (front, back)


def _colours(theme: str) -> dict[str, str]:
    colours = re.findall(r"--([\w-]+):#(\w{6}|\w{3})\b", theme)
    return {name: "#" + (sign if len(sign) == 6 else "".join(2 * one for one in sign)) for name, sign in colours}


WORSE = "<img src=x onerror=alert(1)>"
ROW = {
    "answer": f"It costs five crowns. {WORSE}",
    "state": "failed",
    "finding": "contradicted",
    "value": 0.04,
    "why": "five crowns: the source has two crowns",
    "unsupported": [{"name": "candidate", "spans": [[9, 20]]}],
    "claims": [{"text": "It costs five crowns.", "quote": WORSE, "probability": 0.01}],
    "quotes": [WORSE, "It costs two crowns."],
}
LISTED = {"metrics": [{"metric": "Faithfulness", "reads": ["source"], "parts": ["probability"]}]}
SERVICE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_in_a_browser_a_verdict_is_drawn_as_on_the_page_of_a_gate(browser: Any, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    sent: list[Any] = []

    def answer(route: Any) -> None:
        place = route.request.url.removeprefix(SERVICE)
        if place == "/":
            route.fulfill(body=page.HTML, headers={"content-type": "text/html; charset=utf-8", **page.HEADERS})
        elif place == "/check":
            sent.append(route.request.post_data_json)
            route.fulfill(json={"rows": [ROW]})
        else:
            route.fulfill(json=LISTED) if place == "/metrics-list" else route.abort()

    context.route("**/*", answer)
    shown, errors = context.new_page(), []
    shown.on("console", lambda said: errors.append(said.text))
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.goto(f"{SERVICE}/")
    assert shown.is_visible("#before") and not shown.is_visible("#result")
    shown.click("#example")
    shown.keyboard.press("Enter")
    shown.wait_for_selector("#result:not([hidden])")
    assert sent[0]["grounded"] and sent[0]["rows"][0]["candidate"].startswith("A late return costs five crowns")
    assert shown.inner_text("#heading") == "Contradicted The source says something else."
    assert shown.get_attribute("#result", "class") == "row failed"
    assert shown.inner_text("#verdict") == (
        "Five crowns: the source has two crowns. Probability that the answer holds: 0.04."
    )
    assert shown.inner_text("#marked") == ROW["answer"] and shown.inner_text("#marked mark") == "five crowns"
    assert shown.locator("#claimed td").all_inner_texts() == ["It costs five crowns.", WORSE, "0.01"]
    assert shown.locator("#quotes li").all_inner_texts() == ROW["quotes"]
    assert not shown.is_visible("#spans") and not shown.is_visible("#before")
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    assert shown.evaluate("document.activeElement.id") == "result" and errors == []
    context.close()
