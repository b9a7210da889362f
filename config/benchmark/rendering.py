"""A report as sections: which part is written how."""

from config.benchmark.page_section import page_section
from config.benchmark.pages import DepthFigures
from config.benchmark.report import Part, Report
from config.benchmark.sections import Section


def sections_of(report: Report) -> list[Section]:
    """Write every part of a report."""
    return [_section(name, part, report) for name, part in report.parts.items()]


def _section(name: str, part: Part, report: Report) -> Section:
    machine = report.machine
    notes = [note for note in (machine.sentence, machine.warning, part.data.sentence) if note]
    match part.figures:
        case DepthFigures() as figures:
            return page_section(figures, name=name, title=f"Pages of {name}", notes=notes)
    raise TypeError(name)
