"""Whether a source supports all that an answer claims."""
