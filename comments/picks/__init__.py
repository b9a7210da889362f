"""Comments that staff picked for the page of a product."""
