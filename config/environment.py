"""The environment of a process: its variables with their types, its packages, its secret key.

The key is generated, and stored in a file, for development and the sample shop.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from django.core.management.utils import get_random_secret_key
from environs import Env, EnvValidationError, validate

AWS_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Problem:
    """A variable that is missing or wrong: one sentence, and one on what to do about it."""

    variable: str
    sentence: str
    hint: str = ""


class Environment:
    """Typed values of the environment's variables; a blank one counts as unset.

    For a wrong value the default is returned, and ``problems`` gets a sentence.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._env = Env()

    def report(self, variable: str, sentence: str, hint: str = "") -> None:
        """Add a problem that the caller found."""
        self.problems.append(Problem(variable, sentence, hint))

    def text(self, name: str, default: str = "") -> str:
        """Return the value without the blanks around it."""
        return self._env.str(name, "").strip() or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return true for 1, true, yes or on, false for 0, false, no or off."""
        hint = f"Set {name} to 1 or 0."
        return self._read(self._env.bool, name, default, wrong="neither true nor false", hint=hint)

    def integer(self, name: str, *, default: int, least: int, most: int) -> int:
        """Return a whole number from ``least`` to ``most``, both included."""
        outside = f"{name} is {{input}}, out of its range."
        return self._read(
            self._env.int,
            name,
            default,
            wrong="not a whole number",
            hint=f"Set {name} to a whole number from {least} to {most}.",
            validate=validate.Range(least, most, error=outside),
        )

    def number(self, name: str, *, default: float, least: float, most: float) -> float:
        """Return a number from ``least`` to ``most``, both included."""
        wrong = f"not a number from {least:g} to {most:g}"
        bounds = validate.Range(least, most, error=f"{name} is {self.text(name)!r}, {wrong}.")
        return self._read(self._env.float, name, default, wrong=wrong, validate=bounds)

    def choice(self, name: str, *, default: str, among: tuple[str, ...]) -> str:
        """Return one of the lower-case words ``among``."""
        allowed = " or ".join(among)
        known = validate.OneOf(among, error=f"{name} is {{input!r}}, not {allowed}.")
        hint = f"Set {name} to {allowed}."
        return self._read(self._env.str, name, default, hint=hint, validate=known)

    def words(self, name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the words between the commas, or the default where there is none."""
        words = [word.strip() for word in self.text(name).split(",")]
        return tuple(word for word in words if word) or default

    def url(self, name: str) -> str | None:
        """Return an http or https URL without a path, None when unset."""
        value = self.text(name)
        if not value or _is_endpoint(value):
            return value.rstrip("/") or None
        hint = f"Set {name} to something like http://127.0.0.1:8001, or leave it out."
        self.report(name, f"{name} is {value!r}, not the address of a server.", hint)
        return None

    def path(self, name: str) -> Path | None:
        """Return an absolute path, None when unset; a relative one starts at the current folder."""
        value = self.text(name)
        if not value:
            return None
        return Path(value).expanduser().resolve()

    def has_aws_credentials(self) -> bool:
        """Return whether a variable names AWS credentials; files and roles are not looked at."""
        return any(self.text(name) for name in AWS_CREDENTIALS)

    def _read(
        self,
        read: Callable[..., Value],
        name: str,
        default: Value,
        *,
        wrong: str = "",
        hint: str = "",
        **options: object,
    ) -> Value:
        """Return a value as a method of environs reads it; the default and a problem if wrong."""
        if not self.text(name):
            return default
        sentence = f"{name} is {self.text(name).lower()!r}, {wrong}."
        # environs takes a message for a format string.
        escaped = sentence.replace("{", "{{").replace("}", "}}")
        messages = dict.fromkeys(("invalid", "special", "too_large"), escaped)
        try:
            return read(name, error_messages=messages, pre_load=(str.strip, str.lower), **options)
        except EnvValidationError as error:
            first, *_ = error.error_messages
            self.report(name, first, hint)
            return default


def _is_endpoint(value: str) -> bool:
    """Return whether a text is an http or https URL of a server, without path and query."""
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_http = parts.scheme in {"http", "https"}
    is_bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    return is_http and is_bare and port_is_fine and bool(parts.hostname)


def is_installed(package: str) -> bool:
    """Return whether a package can be imported; a folder without ``__init__.py`` does not count."""
    spec = find_spec(package)
    return spec is not None and spec.has_location


def stored_secret_key(path: Path) -> str:
    """Return the key in ``path``, after generating it (mode 600) if there is none.

    Processes that start together get the same key. Raises OSError.
    """
    if not path.exists():
        # A hard link creates the file with its content in one step, unless another was faster.
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        try:
            draft.write_text(get_random_secret_key())
            with suppress(FileExistsError):
                path.hardlink_to(draft)
        finally:
            draft.unlink()
    return path.read_text().strip()
