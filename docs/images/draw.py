"""Draw the pictures of docs/start.md, docs/report.md and docs/check.md again: python docs/images/draw.py

It needs playwright and Chromium, as the tests of pages do (CONTRIBUTING.md, "Working").
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
METRICS = ["-m", "BERTScore", "-m", "Faithfulness"]
TERMINAL = [
    ["score", "examples/outputs.jsonl", *METRICS, "--evidence", "-o", "scores.jsonl"],
    ["explain", "examples/outputs.jsonl", *METRICS[2:], "--system", "sloppy", "--item", "answer-1"],
]


LOG = ["--map", "item=id", "--map", "source=passages", "--map", "candidate=answer"]


def nlgauge(*arguments: str, failing: bool = False) -> str:
    """Run the command and return what it prints. failing: whether exit code 1 is no error."""
    environment = {**os.environ, "COLUMNS": "100"}
    command = [sys.executable, "-m", "nlgauge", *arguments]
    ran = subprocess.run(command, check=False, text=True, capture_output=True, env=environment)
    if ran.returncode > failing:
        raise RuntimeError(ran.stderr)
    return ran.stdout


def terminal(lines: list[str]) -> str:
    """Return lines as a picture of a terminal, in SVG; a line with a prompt is bold."""
    width, height = max(map(len, lines)) * 8.45 + 40, len(lines) * 20 + 36
    rows = []
    for number, line in enumerate(lines):
        weight = ' font-weight="bold"' if line.startswith("$ ") else ""
        rows.append(f'<text x="20" y="{32 + 20 * number}"{weight} xml:space="preserve">{escape(line)}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">',
            f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#1c1e24"/>',
            '<g fill="#e6e6e6" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
            *rows,
            "</g>",
            "</svg>",
            "",
        ]
    )


def save(picture: bytes, name: str) -> None:
    """Write a screenshot with 128 colours, which is a third of its size."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(128).save(HERE / name, optimize=True)


def draw(browser: Any) -> None:
    def opened(path: str, width: int, height: int) -> Page:
        page: Page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(Path(path).absolute().as_uri())
        page.wait_for_timeout(500)
        return page

    report = opened("report.html", 1200, 760)
    save(report.screenshot(), "report.png")
    row = opened("report.html", 1200, 700)
    row.goto(f"{row.url}#row-41")
    row.get_by_text("Why Faithfulness", exact=False).first.evaluate("heading => heading.scrollIntoView()")
    row.get_by_text("collapse", exact=True).first.hover()
    row.wait_for_timeout(500)
    save(row.screenshot(), "row.png")
    gate = opened("gate.html", 1000, 700)
    save(gate.screenshot(), "gate.png")
    sheet = opened("to-rate/sheet.html", 1000, 560)
    save(sheet.screenshot(), "sheet.png")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        shutil.copytree(HERE.parents[1] / "examples", Path(folder) / "examples")
        os.chdir(folder)
        lines = []
        for arguments in TERMINAL:
            words = [f'"{word}"' if "(" in word else word for word in arguments]
            lines += [f"$ nlgauge {' '.join(words)}", *nlgauge(*arguments).splitlines(), ""]
        (HERE / "terminal.svg").write_text(terminal(lines[:-1]), encoding="utf-8")
        nlgauge("report", "scores.jsonl", "--outputs", "examples/outputs.jsonl", "-o", "report.html")
        gate = [*LOG, "--grounded", "--against", "examples/rag_v1.jsonl", "-o", "gate.html"]
        nlgauge("check", "examples/rag_v2.jsonl", *gate, failing=True)
        nlgauge("sample", "examples/answers.jsonl", "-n", "60", "--aspect", "supported", "-o", "to-rate")
        browser = running.chromium.launch(
            executable_path=os.environ.get("NLGAUGE_CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        draw(browser)
        browser.close()


if __name__ == "__main__":
    main()
