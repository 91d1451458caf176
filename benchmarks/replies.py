"""What ReplyFit sees of a reply and what it does not, on conversations that its training held out.

    python benchmarks/replies.py DIALOGUES --model pocket --exchanges 1000

DIALOGUES: JSON Lines of history, response and origin, as `nlgauge train replies` reads them. The conversations are
those that training with the default settings holds out, so give the file that the reply encoder learned from. Each
exchange's reply is compared with a false one, which is made of real texts: the share of exchanges in which the real
reply has the higher score is printed with its 95 % interval (Wilson), and one half is chance. The last line is
Spearman's correlation of the score of real replies with their number of words.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, spearmanr

from nlgauge import Corpus, Row, evaluate
from nlgauge_lab.training.replies import ReplyConfig, by_conversation
from nlgauge_lab.training.weak_labels.sources import Record, read_records, split

METRIC = "ReplyFit"


def negated(reply: str) -> str:
    """Return the reply with its first auxiliary verb negated, or affirmed where it was negated; else unchanged."""
    words = reply.split()
    for at, word in enumerate(words):
        plain = word.lower()
        if plain in ("is", "are", "was", "were", "do", "did", "have", "can", "will", "would"):
            after = words[at + 1 :]
            rest = after[1:] if after[:1] == ["not"] else ["not", *after]
            return " ".join([*words[: at + 1], *rest])
    return reply


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialogues", type=Path)
    parser.add_argument("--model", default="pocket")
    parser.add_argument("--exchanges", type=int, default=1000)
    given = parser.parse_args()
    held = split(by_conversation(read_records(given.dialogues)), ReplyConfig().held_out)[1]
    rng = np.random.default_rng(0)
    held = [held[at] for at in sorted(rng.choice(len(held), min(given.exchanges, len(held)), replace=False))]

    def shuffled(record: Record) -> str:
        words = record.text.split()
        return " ".join(words[at] for at in rng.permutation(len(words)))

    def of_another(record: Record) -> str:
        other = record
        while other.groups == record.groups:
            other = held[int(rng.integers(len(held)))]
        return other.text

    false: dict[str, Callable[[Record], str]] = {
        "the reply of another conversation": of_another,
        "an earlier turn of the same speaker": lambda record: record.history[-2] if len(record.history) > 2 else "",
        "the last turn, repeated": lambda record: record.history[-1],
        "the reply, with its words shuffled": shuffled,
        "the reply, with its first verb negated": lambda record: negated(record.text),
    }
    conversations = len({record.groups for record in held})
    print(f"{len(held)} held-out exchanges of {conversations} conversations, {METRIC} by {given.model}\n")
    real = scores([record.text for record in held], held, given.model)
    print("| a false reply | exchanges | the real reply scores higher | 95 % interval |\n|---|---:|---:|---:|")
    for name, make in false.items():
        texts = [make(record) for record in held]
        told = [at for at, (text, record) in enumerate(zip(texts, held, strict=True)) if text not in ("", record.text)]
        values = scores([texts[at] for at in told], [held[at] for at in told], given.model)
        known = np.isfinite(values) & np.isfinite(real[told])
        test = binomtest(int((real[told] > values)[known].sum()), int(known.sum()))
        low, high = test.proportion_ci(method="wilson")
        print(f"| {name} | {test.n} | {test.statistic:.3f} | {low:.3f} to {high:.3f} |")
    lengths = [len(record.text.split()) for record in held]
    print(f"\nSpearman's correlation of the score with the words of a reply: {spearmanr(real, lengths).statistic:.3f}")


def scores(replies: Sequence[str], records: Sequence[Record], model: str) -> np.ndarray:
    rows = [
        Row(reply, source="\n".join(record.history), item=str(at))
        for at, (reply, record) in enumerate(zip(replies, records, strict=True))
    ]
    return evaluate(Corpus(tuple(rows)), metrics=METRIC, model=model).values(METRIC)


if __name__ == "__main__":
    main()
