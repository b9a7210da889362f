"""Comments on products, read by any set of languages and ratings."""
