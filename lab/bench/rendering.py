"""A report as sections: which part is written how."""

from pathlib import Path

from lab.bench.grid import GridFigures
from lab.bench.grid_section import grid_section
from lab.bench.importing import ImportFigures
from lab.bench.importing_section import importing_section
from lab.bench.page_section import page_section
from lab.bench.pages import DepthFigures
from lab.bench.plotting import styled
from lab.bench.report import Part, Report
from lab.bench.sections import Section, write_sections
from lab.bench.throughput import ThroughputFigures
from lab.bench.throughput_section import throughput_section


def write(report: Report, folder: Path) -> tuple[str, list[Path]]:
    """Bring ``benchmarks.md`` and its plots up to date; give the report as text, and the files."""
    with styled():
        sections = sections_of(report)
        written = write_sections(sections, folder)
    return "\n\n".join(section.text() for section in sections), written


def sections_of(report: Report) -> list[Section]:
    """Write every part of a report."""
    return [_section(name, part, report) for name, part in report.parts.items()]


def _section(name: str, part: Part, report: Report) -> Section:
    machine = report.machine
    data = part.data.sentence if part.data else ""
    notes = [note for note in (machine.sentence, machine.warning, data) if note]
    match part.figures:
        case DepthFigures() as figures:
            return page_section(figures, name=name, title=f"Pages of {name}", notes=notes)
        case GridFigures() as figures:
            return grid_section(figures, notes=notes)
        case ThroughputFigures() as figures:
            return throughput_section(figures, notes=notes)
        case ImportFigures() as figures:
            return importing_section(figures, notes=notes)
    raise TypeError(name)
