"""What ``manage.py bench`` measures: the site's pages, on data and an engine made for it."""
