"""Imports of orders in the plain shape; the rules are in docs/importing-orders.md.

============  ==================================================================
shape         the fields, and how a file spells them
statuses      spellings of statuses
amounts       amounts of money and numbers of pieces, in the usual spellings
history_text  the history of an order as one field, which exports write too
fields        parsing of one field
lines         parsing of an order's lines
orders        parsing of an order from its own fields and its lines
drafts        orders whose rows are being found
options       the options of the command
survey        the first pass: reads or rejects every row
run           both passes
============  ==================================================================
"""
