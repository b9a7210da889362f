"""The only reader of the process environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
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

    A wrong value never raises: the default stands in for it, and a sentence is added to
    ``problems``, so that all of them can be shown at once, as system checks. A variable that is
    set but empty counts as not set.
    """

    values: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)

    def report(self, variable: str, sentence: str, hint: str = "") -> None:
        """Add a problem of the caller's own finding."""
        self.problems.append(Problem(variable, sentence, hint))

    def text(self, name: str, default: str = "") -> str:
        """The value without the blanks around it."""
        return self.values.get(name, "").strip() or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false, in any of the usual spellings."""
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
        """A whole number from ``least`` to ``most``, both included."""
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

    def choice(self, name: str, *, default: str, among: tuple[str, ...]) -> str:
        """One of some words, in small letters."""
        value = self.text(name).lower()
        if not value:
            return default
        if value not in among:
            allowed = " or ".join(among)
            self.report(name, f"{name} is {value!r}, not {allowed}.", f"Set {name} to {allowed}.")
            return default
        return value

    def words(self, name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """What stands between the commas."""
        return tuple(word for part in self.text(name).split(",") if (word := part.strip())) or (
            default
        )

    def url(self, name: str) -> str | None:
        """An http or https address without path, or None when unset."""
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
        """A path; a relative one starts at the current folder."""
        return self.optional_path(name) or default

    def optional_path(self, name: str) -> Path | None:
        """A path, or None when unset."""
        value = self.text(name)
        return Path(value).expanduser().resolve() if value else None

    def has_aws_credentials(self) -> bool:
        """Whether anything here names AWS credentials (files and instance roles are not asked)."""
        return any(self.text(name) for name in AWS_CREDENTIALS)

    def with_values(self, **changes: str) -> dict[str, str]:
        """A copy of all variables for a child process, some of them changed."""
        return {**self.values, **changes}


def current() -> Environment:
    """The environment of this process."""
    return Environment(os.environ)


def _is_endpoint(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return False
    bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and bare and port_is_fine
