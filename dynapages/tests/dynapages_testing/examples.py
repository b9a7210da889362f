"""The examples in docstrings."""

from inspect import getdoc
from textwrap import dedent
from typing import Any


def run_example(of: type, **given: Any) -> dict[str, Any]:
    """Run the example behind the ``::`` of a docstring with these names; return all names."""
    lines = (getdoc(of) or "").partition("::\n")[2].splitlines()
    example = [line for line in lines if not line or line.startswith(" " * 4)]
    exec(dedent("\n".join(example)), given)  # noqa: S102 - the library's own text
    return given
