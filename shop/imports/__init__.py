"""Imports of orders, of Olist's folder and of any shop; the rules are in docs/importing-orders.md.

========  ==========================================================================
shape     the plain shape: its fields, and how a file spells them
fields    parsing of one field
orders    parsing of an order from its own fields and its lines
survey    the first pass: reads or rejects every row
olist     Olist's files, as orders and lines of the plain shape
products  creation of products, and changes of stored ones
loading   the second pass: writes products, users and orders
run       both passes, and what they tell at the end
========  ==========================================================================
"""
