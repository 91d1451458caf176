"""Models, their capabilities, and how they are loaded by name."""
