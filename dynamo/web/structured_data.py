"""Structured data of a page for search engines: JSON-LD within a script element.

Such an element is data, which browsers do not run: the policy for scripts need not allow it.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.safestring import SafeString

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Without these signs no text ends the element, or begins a comment in it."""


def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Return the element, for what schema.org has words for."""
    spelled = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    element = f'<script type="application/ld+json">{spelled.translate(_ESCAPES)}</script>'
    return SafeString(element)
