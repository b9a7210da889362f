"""Files: the lines, records and rejected rows of imports, whatever the rows are about."""
