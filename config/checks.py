"""System checks: each wrong environment variable is an error with a name; so is an old engine."""

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's own names
from django.utils.module_loading import import_string

from dynamo.calls.client import client
from dynamo.writes.transactions import too_old

IDS = {
    "SECRET_KEY": "config.E001",
    "DYNAMODB_ENDPOINT_URL": "config.E002",
    "PAGE_SIZE": "config.E003",
    "DEBUG": "config.E004",
    "HTTPS": "config.E005",
    "ORDER_SHARDS": "config.E010",
    "TRUSTED_PROXIES": "config.E011",
    "EMAIL_PORT": "config.E012",
    "EMAIL_USE_TLS": "config.E013",
    "VAR_DIR": "config.E014",
    "RANK_SHARDS": "config.E015",
    "EDGE_SHARDS": "config.E026",
    "COMMENT_WRITES_PER_USER": "config.E016",
    "COMMENT_WRITES_PER_ADDRESS": "config.E017",
    "COMMENT_STAFF_WRITES_PER_USER": "config.E022",
    "COMMENT_STAFF_WRITES_PER_ADDRESS": "config.E023",
    "ACTIVITY_READ_UNITS": "config.E030",
    "ACTIVITY_WRITE_UNITS": "config.E031",
    "ACTIVITY_RETENTION_MONTHS": "config.E032",
    "ACTIVITY_SHARDS": "config.E033",
    "COUNTER_SHARDS": "config.E034",
    "COMMENTS_READ_MODEL": "config.E018",
    "COMMENT_SETS_KEY_FORMAT": "config.E019",
    "PAGE_SECONDS": "config.E041",
    "WRITE_SECONDS": "config.E042",
    "PAGES_AT_ONCE": "config.E043",
    "SITE_URL": "config.E051",
    "STAFF_SECOND_FACTOR": "config.E053",
    "LOG_FORMAT": "config.E070",
    "REQUEST_LOG": "config.E071",
    "OPENTELEMETRY": "config.E072",
}

LONGEST_PREFIX = 64
SHORTEST_SECRET = 32


def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a message for each setting that is wrong."""
    del app_configs
    checks = (
        *(_variables, _secret_key, _table_prefix, _region, _hosts, _collected_files, _site),
        _telemetry,
    )
    return [message for check in checks for message in check()]


def check_deployment(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a message for each setting that would be open to the world: for --deploy."""
    del app_configs
    return list(_deployed())


def _deployed() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Error(
            "ALLOWED_HOSTS is *, so that a forged Host header is believed.",
            hint="Set ALLOWED_HOSTS to the names of the site.",
            id="config.E060",
        )
    if len(settings.SECRET_KEY) < SHORTEST_SECRET:
        yield Error(
            f"SECRET_KEY has only {len(settings.SECRET_KEY)} characters: it can be guessed.",
            hint=f"Use {SHORTEST_SECRET} random ones or more.",
            id="config.E061",
        )
    if settings.DEBUG and settings.SECURE_SSL_REDIRECT:
        yield Error(
            "DEBUG is on with HTTPS: errors would show the settings to everybody.",
            hint="Leave DEBUG out on a site that others can reach.",
            id="config.E062",
        )
    if not settings.DEBUG and not settings.MAIL_SERVER:
        yield Error(
            "EMAIL_HOST is missing: letters for a new password would end in the log.",
            hint="Set EMAIL_HOST to the name of a mail server.",
            id="config.E063",
        )


def check_engine(
    app_configs: Sequence[AppConfig] | None, *, databases: Sequence[str] | None = None, **_: object
) -> list[CheckMessage]:
    """Return a message for an engine that is too old: for ``check --database default``."""
    del app_configs
    if not databases or not settings.DYNAMODB_IS_AN_ENGINE:
        return []
    table = import_string(settings.DYNAMODB_MODELS[0]).Meta.table_name
    fault = too_old(client(), table)
    hint = "Use a newer version, or another engine that takes 100."
    return [Error(str(fault), hint=hint, id="config.E044")] if fault else []


def _variables() -> Iterator[CheckMessage]:
    for problem in settings.ENVIRONMENT_PROBLEMS:
        yield Error(problem.sentence, hint=problem.hint, id=IDS[problem.variable])


def _secret_key() -> Iterator[CheckMessage]:
    # A short key can be guessed, and with it sessions and position tokens forged.
    if len(settings.SECRET_KEY) < SHORTEST_SECRET:
        yield Warning(
            f"SECRET_KEY has only {len(settings.SECRET_KEY)} characters.",
            hint=f"Use {SHORTEST_SECRET} random ones or more.",
            id="config.W001",
        )


def _table_prefix() -> Iterator[CheckMessage]:
    # A table's name has 255 characters of these; 64 leave room for what follows the prefix.
    prefix = settings.DYNAMODB_TABLE_PREFIX
    if len(prefix) > LONGEST_PREFIX or not re.fullmatch(r"[a-zA-Z0-9_.-]+", prefix):
        yield Error(
            f"DYNAMODB_TABLE_PREFIX is {prefix!r}, which no table's name can begin with.",
            hint=f"Use at most {LONGEST_PREFIX} of a-z, A-Z, 0-9, '_', '-' and '.'.",
            id="config.E006",
        )


def _region() -> Iterator[CheckMessage]:
    # botocore would refuse it later, with a traceback.
    if not re.fullmatch(r"[a-z]{2,}(-[a-z]+)+-\d+", settings.AWS_REGION):
        yield Error(
            f"AWS_REGION is {settings.AWS_REGION!r}, not the name of a region.",
            hint="Set AWS_REGION to something like eu-west-1.",
            id="config.E007",
        )


def _hosts() -> Iterator[CheckMessage]:
    # With a scheme or a port in a host, every request would be refused.
    for host in settings.ALLOWED_HOSTS:
        if not re.fullmatch(r"\*|\.?[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]", host):
            yield Error(
                f"ALLOWED_HOSTS contains {host!r}, which is not a host name.",
                hint="Separate bare names with commas: shop.example.com,www.example.com.",
                id="config.E008",
            )


def _site() -> Iterator[CheckMessage]:
    if settings.MAIL_SERVER and not settings.SITE_URL:
        yield Error(
            "EMAIL_HOST is set, but SITE_URL is not.",
            hint="Set it to what links in e-mails begin with, such as https://shop.example.com.",
            id="config.E052",
        )


def _telemetry() -> Iterator[CheckMessage]:
    if settings.OPENTELEMETRY and find_spec("opentelemetry") is None:
        yield Error(
            "OPENTELEMETRY is on, but its packages are not installed.",
            hint="Install requirements-telemetry.txt, or leave OPENTELEMETRY out.",
            id="config.E073",
        )


def _collected_files() -> Iterator[CheckMessage]:
    # With STATIC_ROOT, pages name files that exist only once they were collected.
    root = settings.STATIC_ROOT
    if root is not None and not (root / "staticfiles.json").is_file():
        yield Error(
            f"STATIC_ROOT is set, but {root} holds no collected files.",
            hint="Run 'manage.py collectstatic', or leave STATIC_ROOT out.",
            id="config.E009",
        )
