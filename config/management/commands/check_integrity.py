"""``manage.py check_integrity``: recounts and re-derives every key and counter."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from comments.integrity import comment_differences
from dynamo.integrity import Difference
from dynamo.management.failures import failures_in_one_line
from shop.order_integrity import order_differences

CHECKS: dict[str, Callable[[], Iterator[Difference]]] = {
    "comments": comment_differences,
    "orders": order_differences,
}


class Command(BaseCommand):
    """Reads whole tables; for operators, not for pages."""

    help = (
        "Recount every counter and re-derive every key from the items themselves, and show what "
        "differs. Exits with 1 when something differs, or with --repair when something could not "
        "be mended. Reads the whole tables."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="mend what differs")
        parser.add_argument("--only", choices=sorted(CHECKS), help="check only this")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        names = [options["only"]] if options["only"] else list(CHECKS)
        rows: list[dict[str, Any]] = []
        with failures_in_one_line():
            for name in names:
                for difference in CHECKS[name]():
                    mended = bool(
                        options["repair"] and difference.mend is not None and difference.mend()
                    )
                    rows.append({"check": name, **difference.as_dict(), "mended": mended})
                    if not options["json"]:
                        self.stdout.write(_line(difference, mended=mended))
        left = sum(not row["mended"] for row in rows)
        summary = {"differences": len(rows), "mended": len(rows) - left, "left": left}
        if options["json"]:
            self.stdout.write(json.dumps(summary | {"found": rows}))
        else:
            self.stdout.write("{differences} differences, {mended} mended".format(**summary))
        if left:
            sys.exit(1)


def _line(difference: Difference, *, mended: bool) -> str:
    return (
        f"{difference.kind} of {difference.subject}: {difference.stored}, "
        f"not {difference.expected}{' (mended)' if mended else ''}"
    )
