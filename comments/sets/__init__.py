"""Part 1's read model: every comment stored once for each set of ratings that lists it."""
