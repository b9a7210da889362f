"""Which files of the product a call enters."""

import sys
import threading
from collections.abc import Callable
from types import FrameType

from tests.support.project import PROJECT

PRODUCT = tuple(
    f"{PROJECT / layer}/" for layer in ("dynapages", "shop", "comments", "config", "demo", "lab")
)


def files_entered(call: Callable[[], object]) -> frozenset[str]:
    """The modules with a function that was called, in this thread or in one that it starts.

    Paths are relative to the project. Templates are none, though Jinja2 makes functions of them.
    """
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            entered.add(frame.f_code.co_filename)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    modules = (name for name in entered if name.startswith(PRODUCT) and name.endswith(".py"))
    return frozenset(name.removeprefix(f"{PROJECT}/") for name in modules)
