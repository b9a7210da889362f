"""Staff picks: comments shown on top of a product's page."""
