"""The catalogue: products, categories, prices, and what was also bought."""
