"""The sample shop: its data, loading them, and running the site on them."""
