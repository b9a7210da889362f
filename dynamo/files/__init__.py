"""Files: the lines, records and rejected rows of imports, whatever the rows are about.

============  ==================================================================
row_files     files of rows in any of the formats below, opened
lines         the lines of a text, unpacked, decoded and numbered
csv_rows      records of CSV, each with the line it begins on
json_rows     records of JSON lines and arrays, the same
xml_rows      records of XML
parquet_rows  records of Parquet, read by parquet_process
columns       which column holds which field
moments       dates and times in the formats of files
identifiers   ids and names of other systems, mapped to allowed ones
records       the results of readers: a record, or a rejected row
rejects       the file of rejected rows
csv_cells     cells that no spreadsheet carries out
two_pass      imports that check all rows before they write the newest of each
exports       exports to CSV or JSON lines that go on after an interruption
============  ==================================================================
"""
