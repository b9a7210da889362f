"""Files: the lines, records and rejected rows of imports, exports, and the options of both."""
