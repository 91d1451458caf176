"""Statistics: arrays in, numbers out. The answers to questions about scores are made in `nlgauge.answers`."""
