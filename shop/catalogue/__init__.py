"""The catalogue: products, categories, prices, and “also bought”."""
