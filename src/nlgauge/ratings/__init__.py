"""People's ratings: sheets and projects, how they are joined to rows, and when they may not be used."""
