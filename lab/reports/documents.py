"""Sections and plots written into pages of ``docs/``; all around them stays as it is."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from lab.reports.tables import Section


def require_matplotlib() -> None:
    """Raise CommandError where it is not installed; choose a folder for its cache."""
    os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "cache" / "matplotlib"))
    if find_spec("matplotlib") is None:
        raise CommandError("Plots need matplotlib: 'make install' installs it.")


def write_sections(page: Path, sections: Sequence[Section], *, command: str) -> list[Path]:
    """Bring a page up to date, and its plots in a folder of its name; return all files."""
    if not sections:
        return []
    page.parent.mkdir(parents=True, exist_ok=True)
    for section in sections:
        text = section.markdown(folder=page.stem)
        replace_section(page, section.name, text, command=command)
    return [page, *save_plots(page.with_suffix(""), sections)]


def save_plots(folder: Path, sections: Sequence[Section]) -> list[Path]:
    """Draw all plots of some sections into a folder, as SVG, and return the files."""
    from lab.reports.plots import save  # noqa: PLC0415 - needs matplotlib, which may be missing

    folder.mkdir(parents=True, exist_ok=True)
    plots = {folder / f"{plot.name}.svg": plot for one in sections for plot in one.plots}
    for path, plot in plots.items():
        save(path, plot.figures)
    return list(plots)


def replace_section(page: Path, name: str, text: str, *, command: str) -> None:
    """Put ``text`` between the marks of a section, which are added at the end if missing.

    ``command`` is the one that writes it.
    """
    begin, end = begin_mark(name, command=command), f"<!-- end of {name} -->"
    document = page.read_text() if page.exists() else f"# {page.stem.capitalize()}\n"
    before, found, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    if not found:
        before, after = f"{document.rstrip()}\n\n", "\n"
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")


def begin_mark(name: str, *, command: str) -> str:
    """Format the line that a section of a page begins with."""
    return f"<!-- {name}: written by manage.py {command} -->"
