"""Reading of files for imports: what is the same whatever the rows are about.

========  =============================================================
lines     the lines of a file, gzip or not, numbered
csv_rows  records of CSV, each with the line it begins on
jsonl     records of JSON lines, the same
columns   which column holds which field
moments   dates and times as files spell them
rejects   the file of rejected rows
records   what the readers give: a record, or a rejected row
========  =============================================================
"""
