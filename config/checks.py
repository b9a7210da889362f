"""System checks of the settings: each wrong environment variable is an error with a name."""

import re
from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's own names

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
    "COMMENTS_READ_MODEL": "config.E018",
    "COMMENT_SETS_SPELLING": "config.E019",
}

LONGEST_PREFIX = 64
SHORTEST_SECRET = 32


def check_environment(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """What was found while the variables were read."""
    del app_configs
    return [
        Error(problem.sentence, hint=problem.hint, id=IDS[problem.variable])
        for problem in settings.ENVIRONMENT_PROBLEMS
    ]


def check_secret_key(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """A short key can be guessed, and with it sessions and position tokens forged."""
    del app_configs
    if len(settings.SECRET_KEY) >= SHORTEST_SECRET:
        return []
    return [
        Warning(
            f"SECRET_KEY has only {len(settings.SECRET_KEY)} characters.",
            hint=f"Use {SHORTEST_SECRET} random ones or more.",
            id="config.W001",
        ),
    ]


def check_table_prefix(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """DynamoDB's rules for the names of tables hold for their beginning."""
    del app_configs
    prefix = settings.DYNAMODB_TABLE_PREFIX
    if len(prefix) <= LONGEST_PREFIX and re.fullmatch(r"[a-zA-Z0-9_.-]+", prefix):
        return []
    return [
        Error(
            f"DYNAMODB_TABLE_PREFIX is {prefix!r}, which no table's name can begin with.",
            hint=f"Use at most {LONGEST_PREFIX} of a-z, A-Z, 0-9, '_', '-' and '.'.",
            id="config.E006",
        ),
    ]


def check_region(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Botocore would refuse it later, with a traceback."""
    del app_configs
    if re.fullmatch(r"[a-z]{2,}(-[a-z]+)+-\d+", settings.AWS_REGION):
        return []
    return [
        Error(
            f"AWS_REGION is {settings.AWS_REGION!r}, not the name of a region.",
            hint="Set AWS_REGION to something like eu-west-1.",
            id="config.E007",
        ),
    ]


def check_hosts(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """A host is a bare name: with a scheme or a port in it, every request would be refused."""
    del app_configs
    return [
        Error(
            f"ALLOWED_HOSTS contains {host!r}, which is not a host name.",
            hint="Separate bare names with commas: shop.example.com,www.example.com.",
            id="config.E008",
        )
        for host in settings.ALLOWED_HOSTS
        if not re.fullmatch(r"\*|\.?[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]", host)
    ]


def check_collected(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """With STATIC_ROOT, pages name files that only exist once they were collected."""
    del app_configs
    if settings.STATIC_ROOT is None or (settings.STATIC_ROOT / "staticfiles.json").is_file():
        return []
    return [
        Error(
            f"STATIC_ROOT is set, but {settings.STATIC_ROOT} holds no collected files.",
            hint="Run 'manage.py collectstatic', or leave STATIC_ROOT out.",
            id="config.E009",
        ),
    ]


ALL = (
    check_environment,
    check_secret_key,
    check_table_prefix,
    check_region,
    check_hosts,
    check_collected,
)
