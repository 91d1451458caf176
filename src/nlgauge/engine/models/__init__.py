"""Models by what they can do, and the one way in which a name becomes one."""
