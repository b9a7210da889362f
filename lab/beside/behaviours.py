"""What each program does with links: tried, not asserted."""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from lab.beside.libraries import Program
from lab.beside.notes import FULL, OTHERS, SIZE, Notes

MOST_PAGES = 200
OLDER = "2026-11-28T00:00:30Z"
BASE64 = re.compile(r"[A-Za-z0-9_-]{20,}")
"""What may be base64, without what fills it up at its end."""


def walk(program: Program, shelves: list[str]) -> list[list[str]]:
    """Return the ids of each page from the first to the last."""
    pages: list[list[str]] = []
    link = None
    while len(pages) < MOST_PAGES:
        page = program.page(shelves, link)
        pages.append(page["ids"])
        link = page["next"]
        if link is None:
            break
    return pages


def equal_keys(program: Program, shelves: list[str], notes: Notes) -> str:
    """Return what happens to items of equal sort keys on two sides of a page's edge."""
    shown = Counter[str]()
    for page in walk(program, shelves):
        shown.update(page)
    lost = notes.on(shelves) - set(shown)
    repeated = sum(shown.values()) - len(shown)
    if not lost and not repeated:
        return "each shown once"
    return f"{len(lost)} lost, {repeated} repeated"


def deletion(program: Program, shelves: list[str], notes: Notes) -> str:
    """Return what follows behind an item that is deleted after its page was shown."""
    first = program.page(shelves)
    expected = program.page(shelves, first["next"])["ids"]
    deleted = first["ids"][-1]
    notes.delete(deleted)
    try:
        found = program.page(shelves, first["next"])
    finally:
        notes.restore(deleted)
    if found.get("ids") == expected:
        return "no harm"
    return outcome(found, "other items follow")


def page_back(program: Program, shelves: list[str]) -> str:
    """Return whether the way back from the third page leads to the second, and to the first."""
    first = program.page(shelves)
    second = program.page(shelves, first["next"])
    third = program.page(shelves, second["next"])
    if third["previous"] is None:
        return "not there"
    again = program.page(shelves, third["previous"], back=True)
    if again["ids"] != second["ids"]:
        return "another page"
    top = program.page(shelves, again["previous"], back=True)
    if top["ids"] != first["ids"]:
        return "another page"
    return "yes"


def exact_end(program: Program) -> str:
    """Return what follows behind a full page that is the last one."""
    pages = walk(program, FULL)
    if pages[-1]:
        return "no link"
    return "a link to an empty page"


def readable_values(program: Program, shelves: list[str], notes: Notes) -> str:
    """Return which values of the keys of its item can be read in a link."""
    page = program.page(shelves)
    text = readable(page["next"])
    names = []
    for name in ("id", "shelf", "at"):
        # In a link of several partitions any note of the page may be named.
        if any(notes.value(identity, name) in text for identity in page["ids"]):
            names.append(name)
    return ", ".join(names)


def altered(program: Program, shelves: list[str]) -> str:
    """Return what a link is answered in which the time of each key was changed to an older one."""
    first = program.page(shelves)
    following = program.page(shelves, first["next"])
    link = changed(first["next"], lambda key: {**key, "at": replaced(key["at"], OLDER)})
    found = program.page(shelves, link)
    if found.get("ids") == following["ids"]:
        return "the change is ignored"
    return outcome(found, "accepted: it leads to the changed place")


def other_partition(program: Program, shelves: list[str], notes: Notes) -> str:
    """Return what a link is answered whose keys were changed to those of another partition."""
    first = program.page(shelves)
    following = program.page(shelves, first["next"])
    link = changed(first["next"], lambda key: {**key, "shelf": replaced(key["shelf"], OTHERS[0])})
    found = program.page(shelves, link)
    if set(found.get("ids", [])) & notes.on(OTHERS):
        return "accepted: it shows another partition"
    if found.get("ids") == following["ids"]:
        return "the change is ignored"
    return outcome(found, "accepted: other items follow")


def other_list(program: Program, shelves: list[str], notes: Notes) -> str:
    """Return what a link is answered that is of a list of other partitions."""
    others = OTHERS[: len(shelves)]
    link = program.page(shelves)["next"]
    found = program.page(others, link)
    if found.get("ids") == program.page(others)["ids"]:
        return "accepted: its first page again"
    if set(found.get("ids", [])) - notes.on(others):
        return "accepted: it shows the first list"
    return outcome(found, "accepted: it leads into the other list")


def outcome(found: dict[str, Any], otherwise: str) -> str:
    """Return the name of the error that a program answered, or what is said otherwise."""
    error: str | None = found.get("error")
    return f"`{error}`" if error else otherwise


Change = Callable[[dict[str, Any]], dict[str, Any]]


def replaced(value: Any, text: str) -> Any:  # noqa: ANN401 - a text, or DynamoDB's form of one
    """Return a text in the form in which another one was written."""
    return {"S": text} if isinstance(value, dict) else text


def readable(link: str) -> str:
    """Return a link, with what each base64 in it holds, and what base64 in that holds."""
    parts = [link]
    for run in BASE64.findall(link):
        padded = run + "=" * (-len(run) % 4)
        try:
            found = base64.urlsafe_b64decode(padded).decode(errors="replace")
        except binascii.Error:
            continue
        parts.append(readable(found))
    return " ".join(parts)


def of_base64(text: str) -> Any:  # noqa: ANN401 - what JSON may be
    """Return what base64 of JSON holds. Raises ValueError."""
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def changed(link: str, change: Change) -> str:
    """Return a link with each key in it changed, by who knows no secret."""
    for decode, encode in ((json.loads, json.dumps), (of_base64, to_base64)):
        try:
            found = decode(link)
        except (ValueError, binascii.Error):
            continue
        if isinstance(found, dict | list):
            return encode(changed_within(found, change))
    # It is no JSON: a character of what is signed is changed.
    middle = len(link) // 3
    other = "A" if link[middle] != "A" else "B"
    return f"{link[:middle]}{other}{link[middle + 1 :]}"


def changed_within(found: Any, change: Change) -> Any:  # noqa: ANN401 - what JSON may be
    """Return what a link holds with each key in it changed."""
    if isinstance(found, dict):
        if "at" in found:
            return change(found)
        return {name: changed_within(value, change) for name, value in found.items()}
    if isinstance(found, list):
        return [changed_within(value, change) for value in found]
    if isinstance(found, str):
        return changed(found, change)
    return found


def to_base64(found: Any) -> str:  # noqa: ANN401 - what JSON may be
    """Return base64 of JSON, with what Python needs at its end and Node ignores."""
    return base64.urlsafe_b64encode(json.dumps(found).encode()).decode()


def behaviours(program: Program, shelves: list[str], notes: Notes) -> Sequence[tuple[str, str]]:
    """Return each behaviour and what a program does."""
    found = [
        ("items of equal sort keys at a page's edge", equal_keys(program, shelves, notes)),
        ("the item that a link names is deleted", deletion(program, shelves, notes)),
        ("a page back", page_back(program, shelves)),
        ("values that can be read in a link", readable_values(program, shelves, notes)),
        ("the time in a link is changed", altered(program, shelves)),
        ("the partition in a link is changed", other_partition(program, shelves, notes)),
        ("a link of another list", other_list(program, shelves, notes)),
    ]
    if len(shelves) == 1:
        found.append((f"behind {2 * SIZE} items, which are two full pages", exact_end(program)))
    return found
