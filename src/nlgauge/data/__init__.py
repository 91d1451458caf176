"""The data of nlgauge: rows to score, tables of scores, signatures, and files that are written whole or not at all."""
