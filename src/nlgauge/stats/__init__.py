"""Does a metric agree with people, and is one system better than another: what is asked of scores, not of texts."""
