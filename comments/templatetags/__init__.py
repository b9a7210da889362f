"""Template tags of comments."""
