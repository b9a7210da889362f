"""The table of all public names, and a program that writes it into docs/names.md."""

import ast
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2]
PAGE = LIBRARY / "docs" / "names.md"
RULE = "|---|---|\n"


def public_names() -> Iterator[str]:
    """Yield a row for each module with ``__all__``, without importing it: it may need an extra."""
    for path in sorted(LIBRARY.rglob("*.py")):
        inner = path.relative_to(LIBRARY)
        if inner.parts[0] in {"examples", "tests"}:
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                module = ".".join(("dynapages", *inner.with_suffix("").parts))
                names = ", ".join(f"`{name}`" for name in sorted(ast.literal_eval(node.value)))
                yield f"| `{module.removesuffix('.__init__')}` | {names} |"


if __name__ == "__main__":
    head, rule, _ = PAGE.read_text().partition(RULE)
    PAGE.write_text(head + rule + "".join(f"{row}\n" for row in public_names()))
