"""The same two lists by other libraries and by this one, measured in one run."""
