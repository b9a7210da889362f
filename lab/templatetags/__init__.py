"""Template tags of the laboratory."""
