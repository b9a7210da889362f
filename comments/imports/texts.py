"""Texts of exports that are HTML, made plain."""

import re
from html import unescape

from django.utils.html import strip_tags

_BREAK = re.compile(r"\s*(?:<br\s*/?>|</(?:p|div|li)>)\s*", re.IGNORECASE)


def text_of_html(html: str) -> str:
    """Return the text of HTML, with a line for each paragraph."""
    return unescape(strip_tags(_BREAK.sub("\n", html))).strip()
