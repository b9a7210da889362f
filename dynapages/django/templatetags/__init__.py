"""Template tags of the library: how a page was read, and parts of pages that are remembered."""
