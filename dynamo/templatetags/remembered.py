"""Parts of pages that are rendered once and remembered by what they show."""

from collections.abc import Hashable
from functools import lru_cache

from django import template
from django.conf import settings
from django.template.loader import get_template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

REMEMBERED = 1_000
"""Parts whose HTML is kept, at up to some kilobytes each."""

register = template.Library()


@register.simple_tag
def remembered(template_name: str, **values: Hashable) -> SafeString:
    """Render a template that depends on ``values`` alone, or return what they gave before.

    Values must compare equal only where they show the same. The template gets nothing else: neither
    the request nor the user. What it shows in another language is remembered apart.
    """
    render = _render.__wrapped__ if settings.DEBUG else _render  # while templates are edited
    return render(get_language(), template_name, tuple(values.items()))


@lru_cache(maxsize=REMEMBERED)
def _render(
    language: str | None, template_name: str, values: tuple[tuple[str, Hashable], ...]
) -> SafeString:
    del language  # the sentences are in the one that is active
    return SafeString(get_template(template_name).render(dict(values)))
