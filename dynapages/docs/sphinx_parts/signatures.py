"""Signatures as they are written: with the names of types, and with the keywords of options."""

import ast
import builtins
import re
from inspect import Parameter, getsource, signature
from textwrap import dedent
from types import UnionType
from typing import Unpack, get_args, get_origin, is_typeddict

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

from dynapages.docs.sphinx_parts.public_names import MODULES, names_of

ALWAYS_NAMED = {"Item"}
"""Types that are no unions, and are written out nowhere where another is meant."""
FUNCTION = re.compile(r"<(?:built-in )?function (\w+)[^<>]*>")
"""How Python shows a function that is a default."""
OBJECT = re.compile(r"<[^<>]+>")
"""How Python shows other objects, and a default that is made for each call."""
PARAMETERS = re.compile(r"\[\[~(\w+)\]|~typing\.~(\w+)")
"""How Sphinx shows the parameters of another function (a ParamSpec): not as Python."""


def named_types() -> dict[str, str]:
    """Return the full name of each public union by how Python shows it, the longest first."""
    found: dict[str, str] = {}
    for module in MODULES:
        for public in names_of(module):
            if isinstance(public.value, UnionType) or public.name in ALWAYS_NAMED:
                shown = stringify_annotation(public.value, "smart", short_literals=True)
                found.setdefault(shown, f"~{module}.{public.name}")
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def name_types(
    _app: Sphinx,
    _what: str,
    _name: str,
    value: object,
    _options: object,
    arguments: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write the types of a signature by their public names."""
    if not str(getattr(value, "__module__", "")).startswith("dynapages"):
        return arguments, returned
    for shown, name in named_types().items():
        if arguments:
            arguments = arguments.replace(shown, name)
        if returned:
            returned = returned.replace(shown, name)
    if arguments:
        arguments = FUNCTION.sub(r"\1", arguments)
        arguments = PARAMETERS.sub(shown_parameters, arguments)
        arguments = without_private(OBJECT.sub("...", arguments))
    return arguments, returned


def shown_parameters(found: re.Match[str]) -> str:
    """Return the parameters of another function as Python writes them."""
    return f"[{found[1]}" if found[1] else str(found[2])


def without_private(arguments: str) -> str:
    """Leave out fields of a class that are its own, and that nobody passes."""
    function = ast.parse(f"def named{arguments}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - for type checkers
    given = function.args
    while given.args and given.defaults and given.args[-1].arg.startswith("_"):
        given.args.pop()
        given.defaults.pop()
    return f"({ast.unparse(given)})"


def leave_builtins(_app: Sphinx, page: nodes.document) -> None:
    """Make of a type of Python's own, such as ``type``, no link to a field of the same name."""
    for reference in list(page.findall(pending_xref)):
        if reference["refdomain"] == "py" and hasattr(builtins, reference["reftarget"]):
            reference.replace_self(nodes.Text(reference["reftarget"]))


def keywords_of(value: object) -> list[tuple[str, str]]:
    """Return the keywords that a function or class takes as ``**options``, with their types."""
    if not callable(value):
        return []
    try:
        parameters = signature(value).parameters.values()
    except ValueError:  # of a class in C
        return []
    for parameter in parameters:
        is_keywords = parameter.kind is Parameter.VAR_KEYWORD
        if is_keywords and get_origin(parameter.annotation) is Unpack:
            (options,) = get_args(parameter.annotation)
            if is_typeddict(options):
                body = ast.parse(dedent(getsource(options))).body[0]
                fields = [node for node in ast.walk(body) if isinstance(node, ast.AnnAssign)]
                return [(ast.unparse(one.target), ast.unparse(one.annotation)) for one in fields]
    return []


def add_keywords(
    _app: Sphinx, _what: str, _name: str, value: object, _options: object, lines: list[str]
) -> None:
    """Add the keywords of ``**options`` to a text."""
    keywords = keywords_of(value)
    if keywords:
        lines.extend(["", "Each of the options is given by its keyword:", ""])
        lines.extend(f"* ``{keyword}``: ``{kind}``" for keyword, kind in keywords)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change signatures, and the texts below them."""
    app.connect("autodoc-process-signature", name_types)
    app.connect("doctree-read", leave_builtins)
    app.connect("autodoc-process-docstring", add_keywords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
