"""Template tags: a list's pager, moments, remembered parts, the site's name."""

from collections.abc import Hashable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template import RequestContext
from django.template.loader import get_template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from dynapages.django.paging import PageLinks, links_of, site_name
from dynapages.lists.feed import FeedPage

MOST_MOMENTS = 2_000
"""Moments whose HTML is remembered, at some 200 bytes each."""
MOST_PARTS = 400
"""Parts of pages whose HTML is remembered, at up to some kilobytes each."""

register = template.Library()
register.simple_tag(site_name)


@register.inclusion_tag("dynapages/pager.html", takes_context=True)
def pager(
    context: RequestContext,
    page: FeedPage | PageLinks,
    *,
    target: str = "",
    anchor: str = "",
    newer: str = "",
    older: str = "",
    has_last: bool = True,
) -> dict[str, Any]:
    """Show the links to the pages around ``page``: first, newer, older, last.

    ``target`` is the selector of the list, which htmx swaps; without one the links are plain.
    ``anchor`` is where they lead on their pages without htmx. ``newer`` and ``older`` are the
    labels where time runs the other way, or there is none. A host overrides
    ``dynapages/pager.html``.
    """
    links = page if isinstance(page, PageLinks) else links_of(context.request, page)
    return {
        "newer_url": links.newer_url,
        "older_url": links.older_url,
        "first_url": links.first_url,
        "last_url": links.last_url if has_last else None,
        "target": target,
        "anchor": anchor,
        "newer_label": newer,
        "older_label": older,
    }


@register.filter
def as_datetime(moment: datetime) -> str:
    """Format an aware datetime for ``<time datetime>``, as UTC: HTML takes no microseconds."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


@register.simple_tag
def moment(at: datetime, form: str = "SHORT_DATE_FORMAT") -> SafeString:
    """Show an aware datetime, as UTC, in the form of one of Django's formats of dates."""
    return _moment(at, form, get_language())


@lru_cache(maxsize=MOST_MOMENTS)
def _moment(at: datetime, form: str, language: str | None) -> SafeString:
    del language  # months are in the one that is active
    utc = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        as_datetime(utc),
        date_format(utc, "DATETIME_FORMAT"),
        date_format(utc, form),
    )


@register.simple_tag
def remembered(template_name: str, **values: Hashable) -> SafeString:
    """Render a template that depends on ``values`` alone, or return what they gave before.

    Values must compare equal only where they show the same. The template gets nothing else: neither
    the request nor the user. What it shows in another language is remembered apart.
    """
    render = _render.__wrapped__ if settings.DEBUG else _render  # while templates are edited
    return render(get_language(), template_name, tuple(values.items()))


@lru_cache(maxsize=MOST_PARTS)
def _render(
    language: str | None, template_name: str, values: tuple[tuple[str, Hashable], ...]
) -> SafeString:
    del language  # the sentences are in the one that is active
    return SafeString(get_template(template_name).render(dict(values)))
