"""``manage.py export_comments``: comments to a file of CSV, JSON lines, or Google's feed."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.exports.google_feed import GOOGLE, GoogleFeed
from comments.exports.queries import walk_through
from comments.exports.rows import COLUMNS
from dynamo.files.exports import FORMATS, Layout
from dynamo.management.exports import add_output_options, export
from dynamo.management.imports import BAD_USAGE
from shop.catalogue.changes import stored_products
