"""Models, their capabilities, and loading by name."""
