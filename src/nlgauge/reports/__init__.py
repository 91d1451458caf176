"""Reports: pages and plots that show results."""
