"""About these reviews: a page for each product, of how its comments come about."""
