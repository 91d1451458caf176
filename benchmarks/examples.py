"""The construction of aligner examples: how much paraphrases change, and how many examples are made per second.

    python benchmarks/examples.py documents.jsonl [--attempts 256]

documents: any file that `nlgauge train aligner --pairs` reads. A word of a sentence counts as changed if it is not in
the longest common subsequence with the paraphrase. Times are of the processor, so set NLGAUGE_THREADS=1.
"""

from __future__ import annotations

import difflib
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from measuring import heading, machine, parser, save, table

from nlgauge.engine.models import loading
from nlgauge_lab.training.weak_labels.attempts import Parts, Source
from nlgauge_lab.training.weak_labels.construct import construct
from nlgauge_lab.training.weak_labels.corruption import WORD
from nlgauge_lab.training.weak_labels.paraphrase import Lexicon
from nlgauge_lab.training.weak_labels.sources import read_records
from nlgauge_lab.training.weak_labels.targets import sentence_list, worth_choosing

_WORD = re.compile(r"\w+")


def kept(sentence: str, paraphrase: str) -> float:
    """Return the share of a sentence's words that its paraphrase has in the same order."""
    ours, theirs = _WORD.findall(sentence.lower()), _WORD.findall(paraphrase.lower())
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(ours))


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("documents", type=Path)
    options.add_argument("--sentences", type=int, default=400)
    options.add_argument("--attempts", type=int, default=256)
    options.add_argument("--task", default="summarization")
    given = options.parse_args()
    number, attempts = (40, 64) if given.quick else (given.sentences, given.attempts)
    facts = machine()
    model = loading.load("pocket")
    records = read_records(given.documents)
    source = [Source(records, given.task)]
    began = time.process_time()
    parts = Parts.usual(source, model, 0)
    ready = time.process_time() - began

    rng = np.random.default_rng(0)
    sentences = [
        s for i in rng.permutation(len(records)) for s in sentence_list(records[i].document or records[i].text)[:8]
    ]
    chosen = [one for one in sentences if worth_choosing(one)][:number]
    parsed = [one for some in parts.parser.parse(chosen) for one in some]
    ways = {
        "usual": parts.paraphraser,
        "without a judge": replace(parts.paraphraser, tolerance=np.inf),
        "words alone": replace(parts.paraphraser, reworded=0.0),
        "rules alone": replace(parts.paraphraser, lexicon=Lexicon({})),
    }
    heading(f"paraphrases of {len(parsed)} sentences")
    rows, figures = [], {}
    for name, way in ways.items():
        began = time.process_time()
        texts = way.paraphrase(parsed, [np.random.default_rng([1, i]) for i in range(len(parsed))])
        seconds = time.process_time() - began
        changed = 1 - np.array([kept(one.text, text) for one, text in zip(parsed, texts, strict=True)])
        same = float(np.mean([one.text == text for one, text in zip(parsed, texts, strict=True)]))
        figures[name] = {"changed": float(changed.mean()), "same": same, "per_second": len(parsed) / seconds}
        rows.append([name, f"{changed.mean():.1%}", f"{same:.1%}", f"{len(parsed) / seconds:.0f}"])
    table(["paraphraser", "words changed or moved", "sentences unchanged", "sentences a second"], rows)

    heading("examples")
    began = time.process_time()
    made = list(construct(source, parts, seed=0, attempts=attempts))
    seconds = time.process_time() - began
    words = sum(len(WORD.findall(one.row.candidate)) for one in made)
    lost = sum(len(WORD.findall(one.row.candidate[slice(*span)])) for one in made for span in one.row.spans or ())
    table(
        ["examples", "a second", "of attempts", "unsupported words", "parts ready after"],
        [
            [
                len(made),
                f"{len(made) / seconds:.1f}",
                f"{len(made) / attempts:.1%}",
                f"{lost / words:.1%}",
                f"{ready:.1f} s",
            ]
        ],
    )
    save(given.output, {"machine": facts, "paraphrases": figures, "examples_per_second": len(made) / seconds})


if __name__ == "__main__":
    main()
