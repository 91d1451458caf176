"""People's ratings: sheets and projects, how ratings are joined to rows, and which ratings are refused."""
