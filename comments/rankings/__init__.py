"""Rankings: the most loved products and the most helpful comments."""
