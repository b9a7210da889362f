"""For Django: pages of lists and their pager, refusals, access, rate limits, commands."""
