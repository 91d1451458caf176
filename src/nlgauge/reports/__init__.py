"""Reports: the pages and the plots of results."""
