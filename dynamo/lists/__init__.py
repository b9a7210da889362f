"""Lists: a page of an exact, ordered merge of runs, from any position, and what it costs."""
