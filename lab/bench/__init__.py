"""The benchmarks: speed and cost of the site's pages, on data and an engine made for it.

``manage.py bench`` runs them. In the order of a run:

=====================  =========================================================================
module                 what it does
=====================  =========================================================================
``run``                one run, from making the data to the report
``comment_data``       makes the comments that are measured, and the right answers
``order_data``         the same for orders
``exports``            writes data as DynamoDB would export it
``stores``             loads that into a file of dynoxide, and keeps the file
``grounds``            starts the engine on the file, and opens the site in this process
``pages``              measures pages of lists, whatever they list
``comment_pages``      the pages of comments to measure, at several depths
``order_pages``        those of orders
``readers``            the ways to read a list of comments that are compared
``grid``               compares them over every set of ratings and many of languages
``proxy``              delays every call to the engine
``throughput``         measures the site behind gunicorn
``importing``          loads comments with their counts, and without
``costs``, ``timing``  what reading costs, and how long things take
``report``             what was found, as data
``rendering``          turns that into ``sections``, each by a module ``…_section``
``plotting``           how plots look (needs matplotlib)
=====================  =========================================================================
"""
