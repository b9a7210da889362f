"""Collect the sentences to translate: of each app, and of the library, in catalogues of its own.

Those of Jinja2's templates are collected too, which Django's command does not know.
"""

import json
from pathlib import Path
from typing import Any, cast

from django.core.management.commands import makemessages
from jinja2 import Environment
from jinja2.ext import extract_from_ast

from dynapages.django.jinja import SUFFIX

LIBRARY = "dynapages"
LIBRARY_CATALOGUES = Path(LIBRARY, "django", "locale")
SEARCHED_EXTENSIONS = ("html", SUFFIX, "py", "txt")


class BuildFile(makemessages.BuildFile):
    """A file to search for sentences, as xgettext can read it."""

    def preprocess(self) -> None:
        """Write what xgettext reads in place of a template."""
        if not self.path.endswith(SUFFIX):
            super().preprocess()
            return
        source = Path(self.path).read_text(encoding="utf-8")
        Path(self.work_path).write_text(calls_in_jinja(source), encoding="utf-8")


class Command(makemessages.Command):
    """Django's; it would leave the sentences of the library's core to the site."""

    build_file_class = BuildFile

    def handle(self, *args: Any, **options: Any) -> None:
        """Search Jinja2's templates too, if no extensions are given."""
        if not options["extensions"] and options["domain"] == "django":
            options["extensions"] = list(SEARCHED_EXTENSIONS)
        super().handle(*args, **options)

    def find_files(self, root: str) -> list[makemessages.TranslatableFile]:
        """Return the files to search, each with the folder of its catalogues."""
        files = super().find_files(root)
        for file in files:
            if LIBRARY in Path(file.dirpath).parts[:1]:
                file.locale_dir = str(LIBRARY_CATALOGUES.resolve())
        return files


def calls_in_jinja(source: str) -> str:
    """Return the sentences of a template as calls in Python, each on the line where it starts.

    Raises jinja2.TemplateSyntaxError.
    """
    lines = [""] * (source.count("\n") + 1)
    tree = Environment().parse(source)  # noqa: S701 - nothing is rendered
    for number, function, found in extract_from_ast(tree, babel_style=False):
        sentences = cast("tuple[str, ...]", found)  # with babel_style=False it always is
        # JSON's quotes and escapes are Python's, and leave letters as they are.
        arguments = ", ".join(json.dumps(each, ensure_ascii=False) for each in sentences)
        lines[number - 1] += f"{function}({arguments}); "
    return "\n".join(lines)
