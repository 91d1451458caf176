"""Statistics: arrays in, numbers out. What a question about scores is answered with is in `nlgauge.answers`."""
