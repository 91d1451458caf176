"""Studies of metrics as in the papers. Each study is a function that returns a frozen dataclass, and a command.

`matrix`, `distributions` and `significance` read a saved table. `infolm` (temperature, alpha and beta), `layers`,
`neighbours` (Mark-Evaluate's K) and `ablation` (CTC) score a table of rated outputs in one pass for all settings. Every
result has `tables()`, the cells that a terminal shows, and `draw(path)` for a figure (extra `plots`).
"""
