"""Lists: pages of an exact, ordered merge of queries, from any position, and their cost."""
