"""One setting for each app: a dict, with defaults for what a project leaves out of it."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.module_loading import import_string

__all__ = ["AppSettings"]


class AppSettings:
    """The options in the setting ``name``, read each time they are asked for.

    ``paths`` are the options that are dotted paths of what the project lends the app; one that is a
    sequence has several.
    """

    def __init__(
        self, name: str, defaults: Mapping[str, Any], *, paths: Collection[str] = ()
    ) -> None:
        self.name = name
        self._defaults = defaults
        self._paths = paths

    def __getitem__(self, option: str) -> Any:  # noqa: ANN401 - an option is of any type
        default = self._defaults[option]
        return (getattr(settings, self.name, None) or {}).get(option, default)

    def load(self, option: str) -> Any:  # noqa: ANN401 - what is imported is of any type
        """Return what the dotted path of an option names. Raises ImportError."""
        return import_string(self[option])

    def paths_in(self, option: str) -> tuple[str, ...]:
        """Return the dotted paths of an option: none, one, or several."""
        given = self[option]
        return tuple(filter(None, [given] if isinstance(given, str) else given))

    def problems(self, *, needed: Collection[str] = ()) -> Iterator[CheckMessage]:
        """Yield an error for each option that is unknown, missing, or names nothing."""
        given = getattr(settings, self.name, None) or {}
        for option in sorted(given.keys() - self._defaults.keys()):
            known = get_close_matches(option, self._defaults, n=1) or sorted(self._defaults)
            yield self._error(option, "is not an option.", f"Use {', '.join(known)}.")
        for option in needed:
            if not self[option]:
                yield self._error(option, "is missing.", "Set it to a dotted path.")
        for option in self._paths:
            try:
                for path in self.paths_in(option):
                    import_string(path)
            except ImportError as error:
                yield self._error(option, f"is {self[option]!r}: {error}.", "Correct the path.")

    def _error(self, option: str, what: str, hint: str) -> CheckMessage:
        label = self.name.lower()
        return Error(f"{self.name}[{option!r}] {what}", hint=hint, id=f"{label}.{option}")
