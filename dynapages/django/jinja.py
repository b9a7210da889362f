"""Jinja2 templates for the parts of pages that are rendered most: rows, toggles, links of pagers.

They take a tenth of the time that Django's templates take. Their names end with ``.jinja``, and
they are found where Django's are, in the same order: a project's own file of the same name comes
first. Sentences are translated by ``_``, ``ngettext`` and ``pgettext``; what is shown is escaped.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.template.engine import Engine
from django.template.utils import get_app_template_dirs
from django.templatetags.static import static
from django.urls import NoReverseMatch
from django.utils.html import linebreaks
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import get_language, get_language_info, gettext, ngettext, pgettext
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from dynapages.django.moments import as_datetime, date_text, moment_html
from dynapages.django.paging import address_of, address_of_item, grouped, site_name

_CONSTANT: Mapping[str, Callable[..., str]] = {"_": gettext, "pgettext": pgettext, "static": static}
"""What is called while a template is compiled."""
_PLACES = re.compile(r"%\((\w+)\)s")
"""A value in a sentence; what stands between values is split from them."""


def render_jinja(name: str, context: Mapping[str, Any]) -> SafeString:
    """Render a template in the active language. Raises jinja2.TemplateNotFound."""
    return SafeString(jinja_template(name).render(context))


def jinja_macro(name: str, macro: str) -> Callable[..., Markup]:
    """Return a macro of a template in the active language: a function that returns safe HTML.

    Raises jinja2.TemplateNotFound, and AttributeError where the template has no such macro.
    """
    template = jinja_template(name)
    # While templates are edited, what one imports may have changed since it was read.
    module = template.make_module() if settings.DEBUG else template.module
    found: Callable[..., Markup] = getattr(module, macro)
    return found


def jinja_template(name: str) -> Template:
    """Return a template in the active language. Raises jinja2.TemplateNotFound."""
    return _environment(get_language(), Engine.get_default()).get_template(name)


class _Environment(Environment):
    """An environment of one language, whose sentences are part of what it compiles.

    ``_("…")`` costs nothing when a page is rendered; ``_("… %(name)s …", name=…)`` fills in.
    """

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template: nodes.Template = _Translator().visit(super()._parse(source, name, filename))
        return template


class _Translator(NodeTransformer):
    """Puts sentences in the active language, and addresses of files, in place of their calls."""

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 - as jinja2 calls it
        shown: list[nodes.Expr] = []
        for child in node.nodes:
            sentence = _sentence_of(child)
            if isinstance(child, nodes.Call) and sentence is not None:
                # Values are put between the sentence's parts, which is faster than to format it.
                shown += _parts_of(sentence, child)
            else:
                shown.append(self.visit(child))
        node.nodes = shown
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 - the same
        self.generic_visit(node)
        sentence = _sentence_of(node)
        if sentence is None:
            return node
        html = nodes.TemplateData(sentence, lineno=node.lineno)
        if not node.kwargs:
            return html
        values = [nodes.Pair(nodes.Const(each.key), each.value) for each in node.kwargs]
        return nodes.Mod(html, nodes.Dict(values), lineno=node.lineno)


def _sentence_of(node: nodes.Node) -> str | None:
    """Return what a call of ``_`` or ``pgettext`` stands for, None for other nodes.

    Raises jinja2.nodes.Impossible where the sentence is not written in the template itself.
    """
    if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name):
        return None
    translate = _CONSTANT.get(node.node.name)
    if translate is None:
        return None
    return translate(*(argument.as_const() for argument in node.args))


def _parts_of(sentence: str, call: nodes.Call) -> list[nodes.Expr]:
    """Return the texts of a sentence, and its values between them."""
    values = {each.key: each.value for each in call.kwargs}
    parts: list[nodes.Expr] = []
    for index, text in enumerate(_PLACES.split(sentence)):
        if index % 2:
            parts.append(values[text])
        elif text:
            parts.append(nodes.TemplateData(text.replace("%%", "%"), lineno=call.lineno))
    return parts


@cache  # as many as there are languages: a site has one engine
def _environment(language: str | None, engine: Engine) -> Environment:
    """Return the environment of the active language, whose templates lie where the engine's do."""
    del language  # templates are compiled while it is active
    folders = (*engine.dirs, *get_app_template_dirs("templates"))
    environment = _Environment(
        loader=FileSystemLoader([str(folder) for folder in folders]),
        autoescape=True,
        auto_reload=settings.DEBUG,
        cache_size=-1,  # no more than there are files
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals.update(
        item_url=address_of_item,
        moment=moment_html,
        ngettext=_plural,
        optional_url=_optional_url,
        site_languages=_site_languages,
        site_name=site_name,
    )
    environment.filters.update(
        as_datetime=as_datetime,
        cut=_cut,
        date=date_text,
        grouped=grouped,
        linebreaks=_linebreaks,
        quoted=_quoted,
        utc=_utc,
    )
    return environment


def _plural(singular: str, plural: str, number: int, **values: object) -> Markup:
    """Return the sentence of a template for a number, with values in it, which are escaped."""
    sentence = Markup(ngettext(singular, plural, number))  # noqa: S704 - written in a template
    if not values:
        return sentence
    return sentence % values


def _optional_url(route: str, *args: str) -> str:
    """Return the address of a page, empty where the site does not have it."""
    try:
        return address_of(route, *args)
    except NoReverseMatch:
        return ""


def _site_languages() -> list[tuple[str, str]]:
    """Return the code of each language of the site, and its name in that language."""
    languages = []
    for code, _name in settings.LANGUAGES:
        languages.append((code, get_language_info(code)["name_local"]))
    return languages


def _linebreaks(text: str) -> Markup:
    """Return the paragraphs of a text as Django's filter does, escaped unless it is safe."""
    is_safe = hasattr(text, "__html__")
    return Markup(linebreaks(text, autoescape=not is_safe))  # noqa: S704 - it escapes


def _quoted(text: str) -> str:
    """Quote a text as the value of a parameter in a URL."""
    return quote(text, safe="")


def _cut(text: str, length: int) -> str:
    """Return a text, or its first characters with an ellipsis where it is longer."""
    return Truncator(text).chars(length)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
