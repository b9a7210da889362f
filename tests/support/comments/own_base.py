"""The pages of comments in the base of another project, without any template of this site."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.test import override_settings

from tests.support.comments.options import comments_set

BASE = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <link rel="icon" href="data:,">
    <title>{% block title %}{% endblock %} | Mine</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    {% include "comments/head.html" %}
  </head>
  <body>
    <header><p>Mine</p></header>
    <main>{% block content %}{% endblock %}</main>
  </body>
</html>
"""
COUNTS = "_nav_counts.jinja"
"""What a middleware of this site adds to each fragment."""


@contextmanager
def own_base(folder: Path) -> Iterator[None]:
    """Have only the templates of apps, and a base in ``folder``."""
    (folder / "mine.html").write_text(BASE)
    (folder / COUNTS).write_text("")
    templates = [{**settings.TEMPLATES[0], "DIRS": [folder]}]
    named = comments_set(BASE_TEMPLATE="mine.html")
    with override_settings(TEMPLATES=templates, SITE_NAME=""), named:
        yield
