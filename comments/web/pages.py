"""Pages of comments: the anchors in them, their ETags, and what they tell machines (JSON-LD)."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from dynapages.django.caching import is_personal
from dynapages.django.formats import format_asked
from dynapages.django.paging import wants_partial

MADE_BY = ("dynapages", "shop", "comments", "config")
"""The packages whose code decides what pages say."""


def anchor_of(kind: str, item_id: str) -> str:
    """Return the id of an item's element on a page, and the fragment of a link to it."""
    return f"{kind}-{quote(item_id, safe='')}"


def anchors_behind(anchors: Sequence[str]) -> list[str]:
    """Return for each item of a page the id to go on at when it has left its list.

    It is that of the next one, for the last that of the one before, else that of the heading.
    """
    return [*anchors[1:], *(anchors[-2:-1] or ["list-heading"])]


_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Without these signs no text ends the element, or begins a comment in it."""


def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Return the element, for what schema.org has words for."""
    spelled = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    element = f'<script type="application/ld+json">{spelled.translate(_ESCAPES)}</script>'
    return SafeString(element)


def unless_known(
    request: HttpRequest, data: object, render: Callable[[], HttpResponse]
) -> HttpResponse:
    """Answer 304 if the visitor has the page of the same ``data``, else render it with an ETag.

    ``data`` must have a ``repr`` that differs where its page does. A personal page has no ETag.
    """
    if is_personal(request):
        return render()
    form = format_asked(request.META) or wants_partial(request)
    basis = f"{_release_digest()} {get_language()} {form} {data!r}"
    etag = f'W/"{blake2b(basis.encode(), digest_size=12).hexdigest()}"'
    known = get_conditional_response(request, etag=etag)
    response = known or render()
    response["ETag"] = etag
    return response


@lru_cache(maxsize=1)
def _release_digest() -> str:
    """Return a digest of all that makes pages: a new release's are not those of before."""
    base = Path(settings.BASE_DIR)
    templates = (base / "templates").rglob("*.html")
    sources = (
        path
        for package in MADE_BY
        for suffix in ("py", "html", "mo")
        for path in (base / package).rglob(f"*.{suffix}")
    )
    contents = [path.read_bytes() for path in sorted((*templates, *sources))]
    return blake2b(b"".join(contents), digest_size=8).hexdigest()
