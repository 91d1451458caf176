"""The version. It has a module of its own, so that reading it imports nothing large."""

__version__ = "0.2.0"
