"""The comparison lab: the designs the articles argue about, on the same data, each measured.

``manage.py compare`` runs it, and the page ``/lab/`` shows what it found. In the order of a run:

===================  ===========================================================================
module               what it does
===================  ===========================================================================
``run``              one run, from the data to the figures
``engines``          where it runs: an engine of its own, or the site's
``comment_source``   the comments: the sample shop's, or a product's of the site
``redirect``         lets the site's own code work on the lab's tables, and on no others
``tables``           makes those tables, fills them, and removes them
``traffic``          counts requests, items, capacity units and bytes, as they are answered
``exactness``        refuses an engine whose capacity units are not those of DynamoDB
``reading``          measures reads, each compared with the right answer first
``writing``          measures writes, until what was written is where lists read it
``scanning``         Scan and Query with a FilterExpression: read all, sort, cut
``comments``         the designs for comments, and the questions asked of each
``comment_designs``  how each of them stores, reads and writes a comment
``comment_reads``    their lists, cut down to what a list shows
``set_copies``       the copies of part 1's design, made by the handler of the stream
``order_tables``     the tables of orders that are compared
``customer_orders``  a customer's orders of one status between two days
``open_orders``      the shop's open orders
``bodies``           long texts in the items that lists read, and apart from them
``figures``          what was found, as data
``descriptions``     each design in three sentences
``keeping``          keeps the figures where the site finds them
``rendering``        the figures as tables for the terminal and the documents
``plots``            the same, drawn (needs matplotlib)
``page``, ``views``  the page
===================  ===========================================================================
"""
