"""What ``manage.py compare`` measures: each design of the articles, on the same data."""
