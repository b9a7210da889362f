"""The examples in docstrings."""

from textwrap import dedent
from typing import Any


def run_example(of: type, **given: Any) -> dict[str, Any]:
    """Run the example behind the ``::`` of a docstring with these names; return all names."""
    lines = (of.__doc__ or "").partition("::\n")[2].splitlines()
    example = [line for line in lines if not line or line.startswith(" " * 8)]
    exec(dedent("\n".join(example)), given)  # noqa: S102 - the library's own text
    return given
