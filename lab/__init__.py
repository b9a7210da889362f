"""The laboratory: what each design costs, and how fast the site is."""
