"""Import of Olist's orders: docs/importing-orders.md has the rules.

==============  =======================================================================
olist_files     the files of a folder: their names, their columns, their rows
olist_fields    one field of a row: ids, money, moments
olist_life      what Olist's statuses and dates tell of an order's life
olist           rows made customers, items and orders
olist_products  rows made products and categories
found           what the files hold, and what of it belongs together
survey          the first pass: every row of every file is read or rejected
users           customers made users
stored          which orders the table has already
run             both passes: checks everything, then writes
==============  =======================================================================

``users`` and ``run`` write and ``stored`` reads the table; the rest is pure: files or rows in,
values out.
"""
