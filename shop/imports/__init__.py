"""Imports of Olist's orders; the rules are in docs/importing-orders.md.

==============  =======================================================================
names           names of users and ids of products that the shop allows
olist_files     the files of a folder: their names, columns and rows
olist_fields    parsing of one field: ids, money, moments
life            the history of an order from its status and dates
olist           parsing of customers, items and orders
olist_products  parsing of products and categories
found           what the files hold
survey          the first pass: reads or rejects every row of every file
users           creation of users
stored          what the orders meet in the table
products        creation of products, and changes of stored ones
loading         the second pass: writes products, users and orders
report          what an import found and did
run             both passes: checks everything, then writes
==============  =======================================================================

``users``, ``products`` and ``loading`` write and ``stored`` reads the table; the rest does neither.
"""
