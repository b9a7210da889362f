"""System checks: each wrong environment variable is an error with its name; so is an old engine.

`config.apps` registers them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's own names
from django.utils.module_loading import import_string

from config.environment import Problem
from dynapages.process import client
from dynapages.writes import too_old
from shop.addresses.countries import country_codes

LONGEST_PREFIX = 64
SHORTEST_SECRET = 32
_LONGER = f"Use {SHORTEST_SECRET} random ones or more."


def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a message for each setting that is wrong; its id is config. and the variable."""
    del app_configs
    errors: list[CheckMessage] = _errors([*settings.ENVIRONMENT_PROBLEMS, *_wrong()], "config")
    # A short key can be guessed, and with it sessions and position tokens forged.
    if len(settings.SECRET_KEY) < SHORTEST_SECRET:
        sentence = f"SECRET_KEY has only {len(settings.SECRET_KEY)} characters."
        errors.append(Warning(sentence, hint=_LONGER, id="config.SECRET_KEY"))
    return errors


def check_deployment(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a message for each setting that would be open to the world: for --deploy."""
    del app_configs
    return _errors(_open_to_the_world(), "config.deploy")


def check_engine(
    app_configs: Sequence[AppConfig] | None, *, databases: Sequence[str] | None = None, **_: object
) -> list[CheckMessage]:
    """Return a message for an engine that is too old: for ``check --database default``."""
    del app_configs
    if not databases or not settings.DYNAMODB_IS_AN_ENGINE:
        return []
    table = import_string(settings.DYNAMODB_MODELS[0]).Meta.table_name
    fault = too_old(client(), table)
    if not fault:
        return []
    hint = "Use a newer version, or another engine that takes 100."
    return [Error(str(fault), hint=hint, id="config.engine")]


def _errors(problems: Iterable[Problem], prefix: str) -> list[CheckMessage]:
    return [Error(one.sentence, hint=one.hint, id=f"{prefix}.{one.variable}") for one in problems]


def _open_to_the_world() -> Iterator[Problem]:
    """Yield what is right on one's own machine, and dangerous on a public site."""
    if "*" in settings.ALLOWED_HOSTS:
        yield Problem(
            "ALLOWED_HOSTS",
            "ALLOWED_HOSTS is *, so that a forged Host header is believed.",
            "Set ALLOWED_HOSTS to the names of the site.",
        )
    if len(settings.SECRET_KEY) < SHORTEST_SECRET:
        yield Problem(
            "SECRET_KEY",
            f"SECRET_KEY has only {len(settings.SECRET_KEY)} characters: it can be guessed.",
            _LONGER,
        )
    if settings.DEBUG and settings.SECURE_SSL_REDIRECT:
        yield Problem(
            "DEBUG",
            "DEBUG is on with HTTPS: errors would show the settings to everybody.",
            "Leave DEBUG out on a site that others can reach.",
        )
    if not settings.DEBUG and not settings.MAIL_SERVER:
        yield Problem(
            "EMAIL_HOST",
            "EMAIL_HOST is missing: e-mails for a new password would end in the log.",
            "Set EMAIL_HOST to the name of a mail server.",
        )


def _wrong() -> Iterator[Problem]:
    """Yield the settings that are wrong by themselves or together, not only in their types."""
    # A table's name has 255 characters of these; 64 leave room for what follows the prefix.
    prefix = settings.DYNAMODB_TABLE_PREFIX
    if len(prefix) > LONGEST_PREFIX or not re.fullmatch(r"[a-zA-Z0-9_.-]+", prefix):
        yield Problem(
            "DYNAMODB_TABLE_PREFIX",
            f"DYNAMODB_TABLE_PREFIX is {prefix!r}, which no table's name can begin with.",
            f"Use at most {LONGEST_PREFIX} of a-z, A-Z, 0-9, '_', '-' and '.'.",
        )
    # botocore would refuse it later, with a traceback.
    if not re.fullmatch(r"[a-z]{2,}(-[a-z]+)+-\d+", settings.AWS_REGION):
        yield Problem(
            "AWS_REGION",
            f"AWS_REGION is {settings.AWS_REGION!r}, not the name of a region.",
            "Set AWS_REGION to something like eu-west-1.",
        )
    # With a scheme or a port in a host, every request would be refused.
    for host in settings.ALLOWED_HOSTS:
        if not re.fullmatch(r"\*|\.?[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]", host):
            yield Problem(
                "ALLOWED_HOSTS",
                f"ALLOWED_HOSTS contains {host!r}, which is not a host name.",
                "Separate bare names with commas: shop.example.com,www.example.com.",
            )
    # With STATIC_ROOT, pages name files that exist only once they were collected.
    root = settings.STATIC_ROOT
    if root is not None and not (root / "staticfiles.json").is_file():
        yield Problem(
            "STATIC_ROOT",
            f"STATIC_ROOT is set, but {root} holds no collected files.",
            "Run 'manage.py collectstatic', or leave STATIC_ROOT out.",
        )
    if settings.MAIL_SERVER and not settings.SITE_URL:
        yield Problem(
            "SITE_URL",
            "EMAIL_HOST is set, but SITE_URL is not.",
            "Set it to what links in e-mails begin with, such as https://shop.example.com.",
        )
    if settings.SITE_COUNTRY and settings.SITE_COUNTRY not in country_codes():
        yield Problem(
            "SITE_COUNTRY",
            f"SITE_COUNTRY is {settings.SITE_COUNTRY!r}, not the code of a country.",
            "Use its two letters, such as PT or DE, or leave it out.",
        )
    if settings.OPENTELEMETRY and find_spec("opentelemetry") is None:
        yield Problem(
            "OPENTELEMETRY",
            "OPENTELEMETRY is on, but its packages are not installed.",
            "Install requirements-telemetry.txt, or leave OPENTELEMETRY out.",
        )
