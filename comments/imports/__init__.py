"""Import of comments from files: docs/importing.md says what a file may hold.

========  =============================================================================
lines     the lines of a file, gzip or not, numbered
csv_rows  records of CSV, each with the line it begins on
jsonl     records of JSON lines, the same
columns   which column holds which field
moments   dates and times as files spell them
reading   one record made a comment, or refused with a reason
survey    the first pass: what is valid, and which version of each comment wins
rejects   the file of rejected rows
run       both passes
========  =============================================================================
"""
