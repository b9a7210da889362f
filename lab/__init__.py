"""The laboratory: the cost of each design, and the speed of the site."""
