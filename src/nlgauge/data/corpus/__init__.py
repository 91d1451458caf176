"""The outputs to score: rows, the readers that make them, and the checks that refuse a bad one.

Reading never changes a text: nothing is stripped, re-ordered, merged or dropped. What cannot be taken as it stands is
refused with an `InputError` that says where, what, and what to do about it.
"""

from __future__ import annotations

from nlgauge.data.corpus.corpus import Corpus
from nlgauge.data.corpus.opening import FilePath
from nlgauge.data.corpus.row import FIELDS, Row

__all__ = ["FIELDS", "Corpus", "FilePath", "Row"]
