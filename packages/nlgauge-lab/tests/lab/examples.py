"""The specs of the laboratory that the contract tests of nlgauge check with its own (tests/contracts)."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.example import Example

WEIGHTS = Path(__file__).parent / "metrics" / "weights.json"
DETECTORS = {name: f"{name}:{WEIGHTS.parent / 'detectors' / name}" for name in ("nli", "minicheck", "lettuce")}
"""Models of random weights (`tests/engine/models/detectors.py`)"""

EXAMPLES: dict[str, list[Example]] = {
    "published/InfoLM": [
        Example("published/InfoLM(measure='kl', idf='none')", published=True),
        Example("published/InfoLM", published=True),
    ],
    "published/BaryScore": [Example("published/BaryScore(start='last_layer')")],
    "published/Consistency": [Example("published/Consistency", published=True)],
    "published/Relevance": [Example("published/Relevance(layer=-2)", published=True)],
    "published/Preservation": [
        Example("published/Preservation(harmonic_factor=1, stopwords=False)", published=True),
        Example("published/Preservation(rescale='score')", published=True),
    ],
    "published/Groundedness": [Example("published/Groundedness", published=True)],
    "published/Engagingness": [Example("published/Engagingness", published=True)],
    "published/MeanAlignment": [Example("published/MeanAlignment", published=True)],
    "published/SummaCZS": [
        Example(f"published/SummaCZS(splitter='nlgauge', model={DETECTORS['nli']!r})", published=True, torch=True)
    ],
    "published/MiniCheck": [
        Example(
            f"published/MiniCheck(splitter='nlgauge', model={DETECTORS['minicheck']!r})", published=True, torch=True
        )
    ],
    "published/LettuceDetect": [
        Example(f"published/LettuceDetect(model={DETECTORS['lettuce']!r})", published=True, torch=True)
    ],
    "EmbeddingAverage": [Example("EmbeddingAverage")],
    "GreedyMatching": [Example("GreedyMatching")],
    "VectorExtrema": [Example("VectorExtrema(references='mean')")],
    "RougeWE": [Example("RougeWE")],
    "Combination": [Example(f"Combination(weights={str(WEIGHTS)!r})")],
    "CDER": [
        Example("CDER"),
        Example("CDER(references='mean', tokenizer='char')"),
        Example("CDER(tokenizer='spaces')"),
    ],
    "EED": [Example("EED", published=True), Example("EED(references='mean')", published=True)],
    "DepthScore": [Example("DepthScore"), Example("DepthScore(layer=6, p=1, eps=0, special=False)")],
}
