"""Environment variables as typed values; no other module reads the process environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from urllib.parse import urlsplit

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"", "0", "false", "no", "off"})

AWS_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A variable that is missing or wrong: one sentence, and one on what to do about it."""

    variable: str
    sentence: str
    hint: str = ""


@dataclass(slots=True)
class Environment:
    """Typed values of the variables in ``values``.

    A wrong value never raises: the default replaces it, and ``problems`` gets a sentence, so that
    system checks can show all problems at once. A variable that is set but blank counts as unset.
    """

    values: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)

    def report(self, variable: str, sentence: str, hint: str = "") -> None:
        """Add a problem that the caller found."""
        self.problems.append(Problem(variable, sentence, hint))

    def text(self, name: str, default: str = "") -> str:
        """Return the value without the blanks around it."""
        return self.values.get(name, "").strip() or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return true for 1, true, yes or on, false for 0, false, no or off."""
        value = self.text(name).lower()
        if not value:
            return default
        if value not in TRUE | FALSE:
            self.report(
                name, f"{name} is {value!r}, neither true nor false.", f"Set {name} to 1 or 0."
            )
            return default
        return value in TRUE

    def integer(self, name: str, *, default: int, least: int, most: int) -> int:
        """Return a whole number from ``least`` to ``most``, both included."""
        value = self.text(name)
        if not value:
            return default
        allowed = f"Set {name} to a whole number from {least} to {most}."
        try:
            number = int(value)
        except ValueError:
            self.report(name, f"{name} is {value!r}, not a whole number.", allowed)
            return default
        if not least <= number <= most:
            self.report(name, f"{name} is {number}, out of its range.", allowed)
            return default
        return number

    def number(self, name: str, *, default: float, least: float, most: float) -> float:
        """Return a number within bounds, otherwise the default."""
        text = self.text(name)
        try:
            value = float(text) if text else default
        except ValueError:
            value = nan
        if least <= value <= most:
            return value
        self.report(name, f"{name} is {text!r}, not a number from {least:g} to {most:g}.")
        return default

    def choice(self, name: str, *, default: str, among: tuple[str, ...]) -> str:
        """Return one of the lower-case words ``among``."""
        value = self.text(name).lower()
        if not value:
            return default
        if value not in among:
            allowed = " or ".join(among)
            self.report(name, f"{name} is {value!r}, not {allowed}.", f"Set {name} to {allowed}.")
            return default
        return value

    def words(self, name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the words between the commas."""
        return tuple(filter(None, map(str.strip, self.text(name).split(",")))) or default

    def url(self, name: str) -> str | None:
        """Return an http or https URL without a path, None when unset."""
        value = self.text(name)
        if not value:
            return None
        if not _is_endpoint(value):
            self.report(
                name,
                f"{name} is {value!r}, not the address of a server.",
                f"Set {name} to something like http://127.0.0.1:8001, or leave it out.",
            )
            return None
        return value.rstrip("/")

    def path(self, name: str, *, default: Path) -> Path:
        """Return an absolute path; a relative one starts at the current folder."""
        return self.optional_path(name) or default

    def optional_path(self, name: str) -> Path | None:
        """Return an absolute path, None when unset."""
        value = self.text(name)
        return Path(value).expanduser().resolve() if value else None

    def has_aws_credentials(self) -> bool:
        """Return whether a variable names AWS credentials; files and roles are not looked at."""
        return any(self.text(name) for name in AWS_CREDENTIALS)

    def with_values(self, **changes: str) -> dict[str, str]:
        """Return a copy of all variables for a child process, some of them changed."""
        return {**self.values, **changes}


def current() -> Environment:
    """Return the environment of this process."""
    return Environment(os.environ)


def _is_endpoint(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return False
    bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and bare and port_is_fine
