"""The benchmarks: speed and cost of the site's pages, on data and an engine made for it.

``manage.py bench`` runs them. In the order of a run:

=================  =============================================================
module             what it does
=================  =============================================================
``comment_data``   makes the comments that are measured, and the right answers
``order_data``     the same for orders
``exports``        writes data as DynamoDB would export it
``stores``         loads that into a file of dynoxide, and keeps the file
``grounds``        starts the engine on the file, and the site in this process
``readers``        the ways to read a list that are compared
``costs``          what a read costs: calls, items, capacity units
``timing``         how long things take: interleaved repetitions, medians
``comment_pages``  puts these together for pages of comments
``order_pages``    and for pages of orders
``figures``        what was found, as data
``tables``         the figures in words: the terminal's and Markdown's tables
``plots``          the figures drawn (needs matplotlib)
=================  =============================================================
"""
