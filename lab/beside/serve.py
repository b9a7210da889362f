"""Answers each line of JSON with a line of JSON: a page, and the processor time that it took.

Run as a script with a folder of programs and the name of one. It needs the standard library alone,
as it also runs where only another library is installed.
"""

import importlib
import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any


def identity(item: Any) -> str:  # noqa: ANN401 - a dict, or an object of a library's model
    """Return the id of an item, as a library represents it."""
    found: str = item["id"] if isinstance(item, dict) else item.id
    return found


def answer(page: Callable[..., Any], asked: dict[str, Any]) -> dict[str, Any]:
    """Read a page as often as it is asked for, and return the last one or the name of an error."""
    arguments = {}
    if asked["link"] is not None:
        arguments[asked["argument"]] = asked["link"]
    begun = process_time()
    try:
        for _ in range(asked["times"] - 1):
            page(asked["shelves"], **arguments)
        items, following, previous = page(asked["shelves"], **arguments)
    except Exception as error:  # noqa: BLE001 - which error it is, is what is asked for
        return {"error": type(error).__name__, "seconds": process_time() - begun}
    found = {"ids": [identity(item) for item in items], "next": following, "previous": previous}
    return {**found, "seconds": process_time() - begun}


def main(folder: str, name: str) -> None:
    """Serve the page of a program until the input ends."""
    sys.path.insert(0, folder)
    page = importlib.import_module(name).page
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(page, json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
