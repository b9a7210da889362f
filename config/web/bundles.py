"""The style sheets and the scripts of all pages, as one file each: fewer requests at first."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage, Storage

BUNDLES = {
    # Later sheets override earlier ones: the order counts.
    "css/site.css": (
        "dynapages/base.css",
        "css/base.css",
        "css/layout.css",
        "dynapages/controls.css",
        "dynapages/notices.css",
        "css/catalogue.css",
        "css/shelves.css",
        "dynapages/lists.css",
        "comments/comments.css",
        "dynapages/forms.css",
        "css/explanation.css",
        "css/tables.css",
        "comments/writing.css",
        "dynapages/media.css",
        "css/media.css",
    ),
    # lists.js shows a list from its top and gives the focus back: then toggles are in their place,
    # and fields can be typed into.
    "site.js": (
        "dynapages/toggles.js",
        "dynapages/forms.js",
        "dynapages/lists.js",
        "search.js",
        "menu.js",
    ),
}
"""The parts of each bundle, as paths of static files."""
_LEFT_OUT = {
    # Comments, and the spaces around braces and behind declarations.
    ".css": re.compile(r"/\*.*?\*/|(?<=[{};,])\s+|\s+(?=\{)", re.DOTALL),
    # Comments in lines of their own or behind a statement, and indents.
    ".js": re.compile(r"(^|(?<=[;{},])) *// .*|^ +|^\n", re.MULTILINE),
}
"""What nobody needs of a style sheet or a script, which is a quarter of what would be sent."""


class BundlesFinder(finders.BaseFinder):
    """Finds the bundles, which it writes into VAR_DIR from the present text of their parts.

    See https://docs.djangoproject.com/en/5.2/ref/contrib/staticfiles/#finders-module.
    """

    def find(  # type: ignore[override]  # its types have no empty list
        self,
        path: str,
        find_all: bool = False,  # noqa: FBT001, FBT002 - as Django calls it
        **kwargs: bool,
    ) -> str | list[str]:
        """Return the bundle's path on this machine, an empty list for what is no bundle.

        Raises:
            ImproperlyConfigured: VAR_DIR cannot be written to.
        """
        del kwargs  # the former name of find_all
        if path not in BUNDLES:
            return []
        written = str(_write(path))
        return [written] if find_all else written

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        """Yield all bundles, for collectstatic, and for a server without STATIC_ROOT.

        Raises:
            ImproperlyConfigured: VAR_DIR cannot be written to.
        """
        del ignore_patterns
        storage = FileSystemStorage(location=_folder())
        for path in BUNDLES:
            _write(path)
            yield path, storage


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "bundles"


def _write(path: str) -> Path:
    """Bring the bundle's file up to date with its parts, and return where it is."""
    text = "".join(_text_of(part) for part in BUNDLES[path])
    file = _folder() / path
    try:
        if not file.exists() or file.read_text("utf-8") != text:
            _replace(file, text)
    except OSError as error:
        message = (
            f"The static file {path} cannot be written below VAR_DIR ({settings.VAR_DIR}): "
            f"{error.strerror}. Let the shop write there, or set STATIC_ROOT and run collectstatic."
        )
        raise ImproperlyConfigured(message) from error
    return file


def _text_of(part: str) -> str:
    found = finders.find(part)
    if found is None:
        message = f"There is no static file {part}, which is part of a bundle."
        raise ImproperlyConfigured(message)
    file = Path(found)
    return _LEFT_OUT[file.suffix].sub("", file.read_text("utf-8"))


def _replace(file: Path, text: str) -> None:
    """Write the file in one step, as other processes may read it at any moment."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=file.parent, suffix=".draft", delete=False
    ) as draft:
        draft.write(text)
    Path(draft.name).chmod(0o644)
    Path(draft.name).replace(file)
