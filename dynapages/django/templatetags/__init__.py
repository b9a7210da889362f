"""Template tags of the library."""
