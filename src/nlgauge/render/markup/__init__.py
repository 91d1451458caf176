"""HTML that is safe whatever texts hold: the frame of a page, and evidence drawn on texts. Knows plain data only."""
