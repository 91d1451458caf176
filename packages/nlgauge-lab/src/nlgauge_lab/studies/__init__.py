"""Studies of metrics, after the papers' own: each a function that returns a frozen dataclass, and a command.

On a saved table: `matrix`, `distributions`, `significance`. On a rated table of outputs, which is scored in one pass
for all settings: `infolm` (temperature, alpha and beta), `layers`, `neighbours` (Mark-Evaluate's K), `ablation` (CTC).
Every result has `tables()`, the cells of what a terminal shows, and `draw(path)` for a figure (extra `plots`).
"""
