"""System checks of the library: templates of a project that are not read any more."""

from collections.abc import Sequence
from pathlib import Path

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning  # noqa: A004 - Django's own name
from django.core.exceptions import ImproperlyConfigured
from django.template import Engine

from dynapages.django.jinja import SUFFIX, template_folders

ID = "dynapages.templates"


def check_templates(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a warning for each template of Django in whose place one of Jinja2 is read.

    Such is a ``pager.html`` where another folder has a ``pager.jinja`` of the same path.
    """
    del app_configs
    try:
        folders = template_folders(Engine.get_default())
    except ImproperlyConfigured:  # there is none of Django's engines
        return []
    messages: list[CheckMessage] = []
    for folder in folders:
        for template in sorted(folder.rglob(f"*{SUFFIX}")):
            name = template.relative_to(folder)
            for other in folders:
                unread = other / name.with_suffix(".html")
                # Both in one folder are two templates, each of which a project may override.
                if unread.is_file() and not (folder / name.with_suffix(".html")).is_file():
                    messages.append(unread_template(unread, name.as_posix()))
    return messages


def unread_template(path: Path, instead: str) -> CheckMessage:
    """Build the warning of a template at a path: ``instead``, a template's name, is read now."""
    what = f"The template {path} is not read any more."
    hint = (
        f"Write what it changes into a template of your own at {instead!r}, and delete the old one."
    )
    return Warning(what, hint=hint, id=ID)
