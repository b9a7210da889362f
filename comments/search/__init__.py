"""Search: every comment stored once for each of its words, to find those with all words of a search."""
