"""The copies of comments: what they would take compressed, and what it takes to check them."""
