"""The reward function: by itself, and in a real step of GRPO where TRL is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import SpecError
from nlgauge.adapters.trl import Reward
from tests.adapters.needed import needed


def test_rewards_are_the_scores_of_evaluate(rows: list[dict[str, Any]]) -> None:
    reward = Reward("BERTScore", part="recall", references="answers")
    texts = [row["candidate"] for row in rows]
    with pytest.warns(
        UserWarning, match="BERTScore recall: a completion has no reward: the candidate has no words; said"
    ):
        found = reward(
            prompts=["?"] * 6, completions=texts, answers=[row["references"] for row in rows], trainer_state=None
        )
    values = nlgauge.evaluate(rows, metrics="BERTScore").values("BERTScore", "recall").tolist()
    assert found[:-1] == pytest.approx(values[:-1], abs=1e-6) and found[-1] is None
    assert reward.__name__ == "BERTScore_recall"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "InfoLM(idf='references')", "references": "a"}, "depends on the other rows"),
        ({"metric": "MarkEvaluate", "references": "a"}, "depends on the other rows"),
        ({"metric": "TokenF1"}, "TokenF1 reads references: say where it stands"),
        ({"metric": "Faithfulness", "part": "unsupported", "source": "s"}, "no better direction"),
    ],
)
def test_what_is_no_reward_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Reward(**given)


def test_a_step_of_grpo_is_rewarded_by_it(tmp_path: Path) -> None:
    trl = needed("trl", "trl")
    from datasets import Dataset
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    from tests.engine.fake import tiny_tokenizer

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tiny_tokenizer(), pad_token="[PAD]", eos_token="[SEP]")
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), n_positions=64, n_embd=16, n_layer=1, n_head=2))
    data = Dataset.from_dict({"prompt": ["the cat", "a dog"] * 2, "answer": ["the cat sat", "a dog ran"] * 2})
    seen: list[tuple[list[str], list[str], list[float | None]]] = []
    reward = Reward("TokenF1", references="answer")

    class Kept(Reward):
        def __call__(self, completions: Any, **columns: Any) -> list[float | None]:
            found = super().__call__(completions, **columns)
            seen.append((completions, columns["answer"], found))
            return found

    config = trl.GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=6,
        report_to=[],
        logging_steps=1,
        use_cpu=True,
        save_strategy="no",
        bf16=False,
        learning_rate=1e-3,
    )
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=Kept("TokenF1", references="answer"),
        args=config,
        train_dataset=data,
        processing_class=tokenizer,
    )
    trainer.train()
    logged = [
        entry["rewards/TokenF1_f1/mean"] for entry in trainer.state.log_history if "rewards/TokenF1_f1/mean" in entry
    ]
    assert len(seen) == 2 == len(logged)
    for (completions, answers, found), mean in zip(seen, logged, strict=True):
        assert reward(completions, answer=answers) == found
        known = [value for value in found if value is not None]
        assert known and mean == pytest.approx(sum(known) / len(known), abs=1e-6)
