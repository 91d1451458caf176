"""What goes in and what comes out: rows, scores, signatures, and files that are complete or not there."""
