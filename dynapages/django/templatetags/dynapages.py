"""Template tags: a list's pager, moments, templates of Jinja2, the site's name."""

from typing import Any

from django import template
from django.template import RequestContext
from django.utils.safestring import SafeString

from dynapages.django.jinja import jinja_macro, render_jinja
from dynapages.django.moments import as_datetime, moment_html
from dynapages.django.notices import extras_of
from dynapages.django.paging import PageLinks, links_of, site_name
from dynapages.lists.feed_pages import FeedPage

PAGER_TEMPLATE = "dynapages/pager.jinja"

register: template.Library = template.Library()
register.simple_tag(site_name)
register.simple_tag(moment_html, name="moment")
register.filter(as_datetime)
register.filter(extras_of)


@register.simple_tag(takes_context=True)
def pager(
    context: RequestContext,
    page: FeedPage[Any] | PageLinks,
    *,
    target: str = "",
    anchor: str = "",
    newer: str = "",
    older: str = "",
    has_last: bool = True,
) -> SafeString:
    """Show the links to the pages around ``page``: first, newer, older, last.

    ``target`` is the selector of the list, which htmx swaps; without one the links are plain.
    ``anchor`` is where they lead on their pages without htmx. ``newer`` and ``older`` are the
    labels where time runs the other way, or there is none. A host overrides
    ``dynapages/pager.jinja``.
    """
    links = page if isinstance(page, PageLinks) else links_of(context.request, page)
    last_url = None
    if has_last:
        last_url = links.last_url
    values = {
        "newer_url": links.newer_url,
        "older_url": links.older_url,
        "first_url": links.first_url,
        "last_url": last_url,
        "target": target,
        "anchor": anchor,
        "newer_label": newer,
        "older_label": older,
    }
    return render_jinja(PAGER_TEMPLATE, values)


@register.simple_tag
def include_jinja(template_name: str, **values: object) -> SafeString:
    """Put a template of Jinja2 here, which gets ``values`` and nothing else of the page.

    See `dynapages.django.jinja`. Raises jinja2.TemplateNotFound.
    """
    return render_jinja(template_name, values)


@register.simple_tag
def call_macro(template_name: str, macro: str, *args: object, **values: object) -> SafeString:
    """Put what a macro of a template of Jinja2 returns here.

    Raises jinja2.TemplateNotFound, and AttributeError where the template has no such macro.
    """
    return SafeString(jinja_macro(template_name, macro)(*args, **values))
