"""Search: every comment stored once for each of its words, to find those that have all of some."""
