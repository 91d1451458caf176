"""The outputs to score: rows, the readers that make rows, and the checks that refuse a bad row.

Reading never changes a text: nothing is stripped, re-ordered, merged or dropped. An input that
would have to be changed is refused with an `InputError`, which says where it is, what is wrong, and what to do.
"""

from __future__ import annotations

from nlgauge.data.corpus.corpus import Corpus
from nlgauge.data.corpus.opening import FilePath
from nlgauge.data.corpus.row import FIELDS, Row

__all__ = ["FIELDS", "Corpus", "FilePath", "Row"]
