"""Files: the lines, records and rejected rows of imports, whatever the rows are about.

========  =============================================================
lines     the lines of a file, gzip or not, numbered
csv_rows  records of CSV, each with the line it begins on
jsonl     records of JSON lines, the same
columns   which column holds which field
moments   dates and times in the formats of files
rejects   the file of rejected rows
exports   exports to CSV or JSON lines that go on after an interruption
identifiers  ids and names of other systems, mapped to allowed ones
records   the results of readers: a record, or a rejected row
========  =============================================================
"""
