"""The sample shop's data, made from a seed and word lists."""
