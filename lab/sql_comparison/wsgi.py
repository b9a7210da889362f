"""The site as gunicorn serves it, but that it reads pages of comments from PostgreSQL.

The port of the database is in the variable ``SQL_PORT``.
"""

import os

from config.wsgi import application
from lab.sql_comparison.postgres import configure

# Its models need Django's apps, which the site has loaded.
from lab.sql_comparison.reading import read_from_sql

__all__ = ("application",)

configure(int(os.environ["SQL_PORT"]))
read_from_sql()
