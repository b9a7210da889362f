"""System checks of the library: templates that are not read any more, and keys of models."""

from collections.abc import Sequence
from pathlib import Path

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's own name
from django.core.exceptions import ImproperlyConfigured
from django.template import Engine

from dynapages.django.jinja import SUFFIX, template_folders
from dynapages.django.tables import declared_models
from dynapages.tables import TableSchema

ID = "dynapages.templates"
KEYS_ID = "dynapages.keys"


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


def check_keys(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return an error for each model of ``DYNAMODB_MODELS`` whose keys DynamoDB cannot have.

    Also where PynamoDB would create an index with its attributes in another order than declared.
    """
    del app_configs
    messages: list[CheckMessage] = []
    for model in declared_models():
        try:
            TableSchema.of(model)
        except ValueError as error:
            messages.append(Error(str(error), obj=model, id=KEYS_ID))
    return messages
