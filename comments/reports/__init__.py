"""Reports of comments by customers."""
