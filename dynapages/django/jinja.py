"""Jinja2 templates for the parts of pages that are rendered most: rows, toggles, links of pagers.

They take a tenth of the time that Django's templates take. Their names end with ``.jinja``, and
they are found where Django's are, in the same order: a project's own file of the same name comes
first. Sentences are translated by ``_``, ``ngettext`` and ``pgettext``; what is shown is escaped.
"""

import re
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from functools import cache, partial
from keyword import iskeyword
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn
from urllib.parse import quote

from django.conf import settings
from django.dispatch import receiver
from django.template import TemplateDoesNotExist
from django.template.engine import Engine
from django.templatetags.static import static
from django.urls import NoReverseMatch
from django.utils.autoreload import file_changed
from django.utils.html import linebreaks
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import (
    get_language,
    get_language_info,
    gettext,
    ngettext,
    override,
    pgettext,
)
from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, _escape_inner  # type: ignore[attr-defined] # see _escaped

from dynapages.django.moments import as_datetime, date_text, moment_html
from dynapages.django.paging import (
    address_of,
    address_of_item,
    anchor_of,
    grouped,
    rounded,
    site_name,
)

SUFFIX = ".jinja"
_CONSTANTS: Mapping[str, Callable[..., str]] = {
    "_": gettext,
    "pgettext": pgettext,
    "static": static,
}
"""Functions that are called while a template is compiled: the page has what they return."""
_VALUE = re.compile(r"%\((\w+)\)s")
"""A value in a sentence: `re.split` gives texts and, between them, names of values."""


def render_jinja(name: str, context: Mapping[str, Any]) -> SafeString:
    """Render a template in the active language. Raises jinja2.TemplateNotFound."""
    return SafeString(jinja_template(name).render(context))


def jinja_macro(name: str, macro: str) -> Callable[..., Markup]:
    """Return a macro of a template in the active language: a function that returns safe HTML.

    Raises jinja2.TemplateNotFound, and AttributeError where the template has no such macro.
    """
    module = jinja_template(name).module
    function: Callable[..., Markup] | None = getattr(module, macro, None)
    if function is None:
        raise AttributeError(f"The template {name!r} has no macro {macro!r}.")
    return function


def jinja_template(name: str) -> Template:
    """Return a template in the active language. Raises jinja2.TemplateNotFound."""
    return _environment(get_language(), Engine.get_default()).get_template(name)


def compile_templates() -> None:
    """Compile all of these templates in each of ``LANGUAGES``, which takes 0.15 seconds for each.

    Servers call this before they fork: else the first visitors of each process wait for it. A name
    that does not exist is found when a page is rendered, not here. Raises
    jinja2.TemplateSyntaxError.
    """
    for language, _name in settings.LANGUAGES:
        with override(language):
            environment = _environment(get_language(), Engine.get_default())
            for name in environment.list_templates():
                environment.get_template(name)


def template_folders(engine: Engine) -> list[Path]:
    """Return the folders in which an engine of Django looks for templates, in that order."""
    folders: list[Path] = []
    for loader in engine.template_loaders:
        # Not all loaders read files.
        if hasattr(loader, "get_dirs"):
            folders += map(Path, loader.get_dirs())
    return folders


@cache  # as many as there are languages: a site has one engine
def _environment(language: str | None, engine: Engine) -> Environment:
    """Return the environment of the active language, whose templates lie where the engine's do."""
    environment = _Environment(
        loader=_Loader(engine),
        autoescape=True,
        auto_reload=False,  # see _forget_templates
        cache_size=-1,  # no more than there are files
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals.update(
        anchor_of=anchor_of,
        item_url=address_of_item,
        moment=moment_html,
        ngettext=_plural,
        optional_url=_optional_url,
        site_languages=_site_languages,
        site_name=site_name,
    )
    environment.filters.update(
        as_datetime=as_datetime,
        date=partial(date_text, language=language),
        grouped=partial(grouped, language=language),
        linebreaks=_linebreaks,
        quoted=_quoted,
        rounded=rounded,
        truncatechars=_truncatechars,
        utc=_utc,
    )
    return environment


@receiver(file_changed)
def _forget_templates(file_path: Path, **_: object) -> None:
    """Read templates again when runserver sees that one was edited, as Django reads its own."""
    if file_path.suffix in (SUFFIX, ".mo"):
        _environment.cache_clear()


class _Loader(BaseLoader):
    """Finds templates as an engine of Django does, by that engine's own loaders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def list_templates(self) -> list[str]:
        """Return the names of all that lie in a folder of templates."""
        names: set[str] = set()
        for folder in template_folders(self._engine):
            for path in folder.rglob(f"*{SUFFIX}"):
                names.add(path.relative_to(folder).as_posix())
        return sorted(names)

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, None]:
        del environment
        for loader in self._engine.template_loaders:
            for origin in loader.get_template_sources(template):
                try:
                    contents = loader.get_contents(origin)  # type: ignore[attr-defined] # all have it
                except TemplateDoesNotExist:
                    continue
                return contents, origin.name, None
        raise TemplateNotFound(template)


class _Generator(CodeGenerator):
    """Writes sentences in the active language into what it compiles.

    ``_("…")`` costs nothing when a page is rendered; ``_("… %(name)s …", name=…)`` fills in.
    """

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - as jinja2 calls it
        super().visit_Template(_Translator(self.fail).visit(node), frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: FBT001, FBT002, N802 - as jinja2 calls it
        """Write a plain call: jinja2's own looks for functions of the context, and none is one."""
        has_stars = node.dyn_args or node.dyn_kwargs
        has_keywords = any(iskeyword(argument.key) for argument in node.kwargs)
        if forward_caller or has_stars or has_keywords:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class _Template(Template):
    """A template that escapes what it shows by `_escaped`."""

    @classmethod
    def from_code(
        cls,
        environment: Environment,
        code: CodeType,
        globals: MutableMapping[str, Any],  # noqa: A002 - as jinja2 calls it
        uptodate: Callable[[], bool] | None = None,
    ) -> Template:
        template = super().from_code(environment, code, globals, uptodate)
        # There the code that jinja2 has written looks up the function of this name.
        template.root_render_func.__globals__["escape"] = _escaped
        return template


def _escaped(value: object) -> str:
    """Escape what a template shows, unless it is safe HTML."""
    # jinja2's function makes each value a Markup, which takes ten times as long as to escape it.
    if type(value) is not str:
        if hasattr(value, "__html__"):
            html: str = value.__html__()
            return html
        value = str(value)
    escaped: str = _escape_inner(value)
    return escaped


class _Environment(Environment):
    """An environment that compiles by `_Generator`, and escapes by `_escaped`."""

    code_generator_class = _Generator
    template_class = _Template

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template: a plain dict where it has none of its own."""
        # They are copied for each rendering, and jinja2's chain of two takes long to copy.
        if d is None:
            return self.globals
        return super().make_globals(d)


class _Translator(NodeTransformer):
    """Puts sentences, and addresses of files, in place of their calls.

    ``fail`` raises the error of a template: it gets what is wrong, and the line.
    """

    def __init__(self, fail: Callable[[str, int], NoReturn]) -> None:
        self._fail = fail

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 - as jinja2 calls it
        self.generic_visit(node)
        shown: list[nodes.Expr] = []
        for child in node.nodes:
            # One part after the other is shown faster than all of them joined.
            if isinstance(child, nodes.Concat):
                shown += child.nodes
            else:
                shown.append(child)
        node.nodes = shown
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 - the same
        self.generic_visit(node)
        if not isinstance(node.node, nodes.Name) or node.node.name not in _CONSTANTS:
            return node
        text = self._constant(node, node.node.name)
        if not node.kwargs:
            return nodes.TemplateData(text, lineno=node.lineno)
        return nodes.Concat(self._parts(text, node), lineno=node.lineno)

    def _constant(self, call: nodes.Call, name: str) -> str:
        """Return what a call of one of `_CONSTANTS` returns in the active language."""
        texts: list[str] = []
        for argument in call.args:
            if not isinstance(argument, nodes.Const):
                self._fail(f"{name}() takes texts that are written in the template.", call.lineno)
            texts.append(argument.value)
        return _CONSTANTS[name](*texts)

    def _parts(self, sentence: str, call: nodes.Call) -> list[nodes.Expr]:
        """Return the texts of a sentence, and its values between them."""
        values = {each.key: each.value for each in call.kwargs}
        parts: list[nodes.Expr] = []
        for index, text in enumerate(_VALUE.split(sentence)):
            is_value = index % 2 == 1
            if not is_value:
                parts.append(nodes.TemplateData(text.replace("%%", "%"), lineno=call.lineno))
            elif text in values:
                parts.append(values[text])
            else:
                self._fail(f"The sentence {sentence!r} is given no {text}.", call.lineno)
        return parts


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
    if not is_safe and "\n" not in text and "\r" not in text:  # as most are
        return Markup(f"<p>{_escaped(text)}</p>")  # noqa: S704 - it is escaped
    return Markup(linebreaks(text, autoescape=not is_safe))  # noqa: S704 - it is escaped


def _quoted(text: str) -> str:
    """Quote a text as the value of a parameter in a URL."""
    return quote(text, safe="")


def _truncatechars(text: str, length: int) -> str:
    """Return a text, or its first characters with an ellipsis where it is longer."""
    return Truncator(text).chars(length)


def _utc(moment: datetime) -> datetime:
    """Convert an aware datetime to UTC."""
    return moment.astimezone(UTC)
