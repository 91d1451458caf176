"""Evidence of all four shapes turns into plain JSON, and what is absent is left out."""

from __future__ import annotations

import json

import pytest

from nlgauge.data.evidence import Evidence, EvidenceText, EvidenceWord, Flow, Item, Match, TextPiece


def test_every_shape_has_a_record() -> None:
    evidence = Evidence(
        reference=1,
        texts=[EvidenceText("candidate", "source", "A cat.", [EvidenceWord("cat", 2, 5, 0.5, weight=1.0)], 0.6)],
        matches=[Match("candidate", TextPiece("cat", 2, 5), TextPiece(None), 0.9, 0.5)],
        flows=[Flow(TextPiece("cat", 2, 5), TextPiece("dog", 0, 3), 1.0, 0.25)],
        items=[Item("rain", {"share": 0.5, "nearest": {"item": "3"}})],
        left_out=4,
    )
    record = evidence.record()
    assert (
        json.loads(json.dumps(record))
        == record
        == {
            "reference": 1,
            "texts": [
                {
                    "name": "candidate",
                    "against": "source",
                    "text": "A cat.",
                    "weak": 0.6,
                    "words": [{"text": "cat", "begin": 2, "end": 5, "alignment": 0.5, "weight": 1.0}],
                }
            ],
            "matches": [
                {
                    "side": "candidate",
                    "token": {"text": "cat", "begin": 2, "end": 5},
                    "match": {},
                    "similarity": 0.9,
                    "weight": 0.5,
                }
            ],
            "flows": [
                {
                    "candidate": {"text": "cat", "begin": 2, "end": 5},
                    "reference": {"text": "dog", "begin": 0, "end": 3},
                    "share": 1.0,
                    "distance": 0.25,
                }
            ],
            "items": [{"name": "rain", "share": 0.5, "nearest": {"item": "3"}}],
            "left_out": 4,
        }
    )


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="is not evidence"):
        Evidence(items=[Item("odd", {"value": object()})]).record()
