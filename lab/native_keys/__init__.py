"""Keys of comments as they are, and as keys of several attributes would be: ``compare_keys``."""
