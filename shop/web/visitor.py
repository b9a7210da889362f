"""For whom a page is read, while that is still being found out."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Visitor:
    """The user that a session names, empty for nobody.

    What is to be shown to this user can be read at once. It may be shown when ``is_confirmed``,
    which reads the user, has returned True: users may have been deleted, or have a new password.
    """

    username: str = ""
    is_confirmed: Callable[[], bool] = bool


NOBODY = Visitor()
