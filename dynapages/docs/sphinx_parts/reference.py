"""The reference: a page of each public module, from docstrings.

``.. public-module:: dynapages.lists`` is all that such a page needs. In docstrings a name in single
backticks is a link where the reference has it, and code where it has not.
"""

import sys
from enum import Enum
from inspect import cleandoc, isclass, isroutine, unwrap
from typing import Any, Generic, get_origin

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from dynapages.docs.sphinx_parts.public_names import (
    MODULES,
    PublicName,
    definition_of,
    first_module_of,
    names_of,
)

KINDS = ("Classes", "Functions", "Errors", "Values and types", "Modules")
DIRECTIVES = {
    "Classes": "autoclass",
    "Functions": "autofunction",
    "Errors": "autoexception",
    "Modules": "automodule",
}
PLAIN_BASES = {object, Generic, tuple}
LONGEST_VALUE = 100
"""Characters of a value that is shown."""


def indented(text: str) -> str:
    """Return a text as the content of a directive."""
    return "".join(f"   {line}\n" for line in cleandoc(text).splitlines())


def directive_of(public: PublicName) -> str:
    """Return the directive that describes a name in the reference."""
    directive = DIRECTIVES.get(public.kind)
    if directive is None:
        return directive_of_value(public)
    text = f".. {directive}:: {public.module}.{public.name}\n"
    if public.kind != "Functions":
        text += "   :members:\n"
    value = public.value
    if isclass(value) and not PLAIN_BASES.issuperset(value.__bases__):
        text += "   :show-inheritance:\n"
    return text


def directive_of_value(public: PublicName) -> str:
    """Return the directive of a value or of a type's short name.

    Autodoc would describe the value's class, as the text stands in the module that defines it.
    """
    definition = definition_of(public.module, public.name)
    if definition.is_type:
        text = f".. py:type:: {public.name}\n   :canonical: {definition.expression}\n"
    elif len(definition.expression) <= LONGEST_VALUE:
        text = f".. py:data:: {public.name}\n   :value: {definition.expression}\n"
    else:
        text = f".. py:data:: {public.name}\n"
    return f"{text}   :module: {public.module}\n\n{indented(definition.text)}"


class PublicModule(SphinxDirective):
    """The whole reference of a module, below the heading of its page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module = self.arguments[0]
        parts = [
            f".. automodule:: {module}\n",
            f".. py:currentmodule:: {module}\n",
        ]
        elsewhere: dict[str, list[str]] = {}
        described: dict[str, list[PublicName]] = {kind: [] for kind in KINDS}
        for public in names_of(module):
            first = first_module_of(public)
            if first == module:
                described[public.kind].append(public)
            else:
                elsewhere.setdefault(first, []).append(public.name)
        for other, names in elsewhere.items():
            links = ", ".join(f"`{name}`" for name in names)
            parts.append(f"Also in this module, and described in `{other}`: {links}.\n")
        for kind, group in described.items():
            if group:
                parts.append(f"{kind}\n{'-' * len(kind)}\n")
                parts.extend(directive_of(public) for public in group)
        found: list[nodes.Node] = self.parse_text_to_nodes(
            "\n".join(parts), allow_section_headings=True
        )
        return found


def public_role(
    _name: str,
    _raw: str,
    text: str,
    _line: int,
    inliner: Inliner,
    _options: dict[str, Any] | None = None,
    _content: list[str] | None = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read what stands in single backticks: a link once all pages are read."""
    environment: BuildEnvironment = inliner.document.settings.env
    module = environment.ref_context.get("py:module")
    class_name = environment.ref_context.get("py:class")
    return [link_to(text, environment.docname, module, class_name)], []


def link_to(text: str, page: str, module: str | None, class_name: str | None) -> pending_xref:
    """Return what becomes a link of a page once all pages are read, or else stays code."""
    reference = pending_xref(
        text,
        nodes.literal(text, text),
        refdomain="",
        reftype="public",
        reftarget=text,
        refdoc=page,
        refexplicit=False,
        refwarn=False,
    )
    reference["py:module"] = module
    reference["py:class"] = class_name
    return reference


def link_names(app: Sphinx, page: nodes.document) -> None:
    """Link each row of the page of all names: its module, and the names of this module."""
    if app.env.docname != "names":
        return
    for row in page.findall(nodes.row):
        module, *names = list(row.findall(nodes.literal)) or [None]
        if module is not None:
            for name in (module, *names):
                link = link_to(name.astext(), app.env.docname, module.astext(), None)
                name.replace_self(link)


def candidates(target: str, module: str | None, class_name: str | None) -> list[str]:
    """Return the full names that a short one may stand for, the nearest first."""
    found = [target]
    if module and class_name:
        found.append(f"{module}.{class_name}.{target}")
    if module:
        found.append(f"{module}.{target}")
    found.extend(f"{other}.{target}" for other in MODULES)
    return found


def resolve(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.Node | None:
    """Link a name that the reference has; any other, such as a type of Python's, is no link."""
    if node["reftype"] != "public" and node["refdomain"] != "py":
        return None
    objects = environment.domains.python_domain.objects
    target = node["reftarget"].removesuffix("()")
    for name in candidates(target, node.get("py:module"), node.get("py:class")):
        if name in objects:
            entry = objects[name]
            return make_refnode(
                app.builder, node["refdoc"], entry.docname, entry.node_id, shown, name
            )
    return shown


def skip_member(
    _app: Sphinx,
    _what: str,
    name: str,
    member: object,
    skip: bool,  # noqa: FBT001 - Sphinx passes it so
    _options: object,
) -> bool | None:
    """Keep public methods without a text: their names and types say it all; and enum's values.

    Fields of a class without a text are in its signature.
    """
    if str(getattr(member, "__doc__", "")).startswith("Alias for field number"):
        return True
    if name == "model_config":
        return True
    if name.startswith("_"):
        return None
    is_method = isroutine(member) or isinstance(member, property)
    if skip and (is_method or isinstance(member, Enum)):
        return overrides_a_framework(member, name)
    return None


def overrides_a_framework(member: object, name: str) -> bool:
    """Return whether a method takes the place of one of a class that is not the library's."""
    function: Any = getattr(member, "fget", None) or getattr(member, "__func__", member)
    function = unwrap(function)
    owner: object = sys.modules.get(getattr(function, "__module__", None) or "")
    for part in getattr(function, "__qualname__", "").split(".")[:-1]:
        owner = getattr(owner, part, None)
    bases = owner.__mro__[1:] if isclass(owner) else ()
    foreign = [base for base in bases if not base.__module__.startswith("dynapages")]
    return any(hasattr(base, name) for base in foreign)


def leave_out_plain_bases(
    _app: Sphinx, _name: str, _value: object, _options: object, bases: list[Any]
) -> None:
    """Leave out what says nothing of a class but that it is one, or generic."""
    bases[:] = [base for base in bases if (get_origin(base) or base) not in PLAIN_BASES]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the role, and resolve what is in single backticks."""
    app.add_directive("public-module", PublicModule)
    app.add_role("public", public_role)
    app.connect("missing-reference", resolve)
    app.connect("doctree-read", link_names)
    app.connect("autodoc-process-bases", leave_out_plain_bases)
    app.connect("autodoc-skip-member", skip_member)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
