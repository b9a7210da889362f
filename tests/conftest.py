"""What all tests share; the engine itself comes from engine_plugin.py."""

import gc
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.core.cache import cache
from django.test import override_settings
from django.utils import translation
from django.utils.module_loading import import_string

from dynapages.django.paging import address_of
from dynapages.django.tables import TableCommand
from dynapages.django.work import queues
from dynapages.process import client, connect, current_connection
from dynapages.tables import create_missing
from dynapages.work import worker
from dynapages_testing.strict import refuse_what_aws_refuses
from shop.activity.months import Month
from shop.activity.recording import LOG
from shop.activity.tables import make_table, make_tables, table_names
from tests.support.chance import unique
from tests.support.engine_plugin import PATIENCE, engine_key, name_key
from tests.support.permissions import record_permissions, used
from tests.support.policy import lacking, superfluous
from tests.support.project import PROJECT
from tests.support.webhooks import remember_no_webhooks
from tests.support.work import forget_what_waits

_problems = pytest.StashKey[list[str]]()
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The browser of the tests. The shell draws no window, which takes a third less time."""


def pytest_configure() -> None:
    record_permissions()
    change_settings_at_once()


def change_settings_at_once() -> None:
    """Let threads read settings while a test changes them: for a moment, Django would have none.

    The thread of the activity log reads them after a test's last request.
    """
    change_one = LazySettings.__setattr__

    def change(self: LazySettings, name: str, value: Any) -> None:
        if name != "_wrapped":
            change_one(self, name, value)
            return
        self.__dict__[name] = value
        for remembered in list(self.__dict__.keys() - {name}):
            self.__dict__.pop(remembered, None)

    LazySettings.__setattr__ = change  # type: ignore[method-assign] # for tests alone


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker's tests have used."""
    used.update(map(tuple, getattr(node, "workeroutput", {}).get("permissions", ())))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Compare what was used with the policy: less is never allowed, more not after a whole run."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["permissions"] = sorted(used)
        return
    problems = [*lacking(used), *(superfluous(used) if _is_whole(session) else ())]
    session.config.stash[_problems] = problems
    if problems and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for problem in config.stash.get(_problems, []):
        terminalreporter.write_line(f"FAILED deploy/iam-policy.json - {problem}", red=True)


def _is_whole(session: pytest.Session) -> bool:
    """Return whether all tests were run that are not slow, on an engine as exact as Amazon's."""
    option = session.config.option
    chosen = option.keyword or option.markexpr or option.collectonly
    every = session.config.args == session.config.getini("testpaths")
    return every and not chosen and session.config.stash[name_key] == "dynoxide"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files out that hold no test of the mark that is asked for, where one alone is."""
    mark = config.option.markexpr
    if not mark.isidentifier() or not collection_path.name.startswith("test_"):
        return None
    return f"mark.{mark}" not in collection_path.read_text() or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = dict(_skipped_marks(config))
    for item in items:
        for mark in reasons.keys() & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=reasons[mark]))


def _skipped_marks(config: pytest.Config) -> Iterator[tuple[str, str]]:
    if config.stash[name_key] == "moto":
        yield "real_engine", "moto only imitates capacity, cursors and concurrency"
    if not CHROMIUM:
        yield "browser", "neither chromium-headless-shell nor chromium is installed"
    if not config.getoption("--slow"):
        yield "slow", "takes long: .ci/run or .ci/nightly runs it, and --slow"


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and not in what was imported: a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def engine(pytestconfig):
    """The engine behind the settings, to be stopped and started; skips where it is not ours."""
    own = pytestconfig.stash[engine_key]
    if own is None:
        pytest.skip("the engine is not ours to stop")
    return own


@pytest.fixture(scope="session")
def engine_name(pytestconfig):
    """'moto', 'dynoxide' or an address."""
    return pytestconfig.stash[name_key]


@pytest.fixture(scope="session", autouse=True)
def patience():
    """On a busy machine an engine may take longer than a page waits, moto above all.

    It reads whole tables in one thread.
    """
    connect(replace(current_connection(), read_seconds=PATIENCE))
    settings.PAGE_SECONDS = settings.WRITE_SECONDS = 2 * PATIENCE


@pytest.fixture(scope="session", autouse=True)
def nothing_behind_motos_back(pytestconfig):
    """Moto is not thread-safe: there the activity log is only written when a test asks for it."""
    LOG.runs_by_itself = pytestconfig.stash[name_key] != "moto"
    yield
    LOG.flush(seconds=1)


@pytest.fixture(scope="session", autouse=True)
def what_is_owed_is_done_when_asked_for():
    """No thread does what is owed: tests do, by ``tests.support.work``.

    So a test that reads e-mails has them sent first, by ``tests.support.accounts.emails``.
    """
    worker().runs_by_itself = False
    worker().start(queues())
    yield
    forget_what_waits()  # the engine is gone when the process ends


@pytest.fixture(scope="session", autouse=True)
def nothing_takes_long_that_need_not():
    """Hash passwords fast, and look for a static file when it is asked for.

    Else every test client lists all files when it is made.
    """
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        WHITENOISE_AUTOREFRESH=True,
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_give_up_soon():
    """Commands of the tests' own process wait no longer for a failing database than pages do."""
    TableCommand.is_patient = False
    yield
    TableCommand.is_patient = True


@pytest.fixture(scope="module")
def tables(pytestconfig):
    """All tables, empty at a module's beginning where the engine is ours.

    Within a module, tests stay apart by ids of their own (`fresh`).
    """
    connect(current_connection())  # what the process remembers of other tables goes with its client
    models = [import_string(name) for name in settings.DYNAMODB_MODELS]
    refuse_what_aws_refuses(client())
    create_missing(models, client=client())
    make_tables(client=client(), now=datetime.now(UTC))
    yield
    forget_what_waits()  # it is about these tables
    if pytestconfig.stash[engine_key] is not None:
        LOG.flush(seconds=5)
        _delete_tables()


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(pytestconfig):
    """An engine that is not ours outlives the tests, and making tables there can take minutes."""
    yield
    if pytestconfig.stash[engine_key] is None:
        _delete_tables()


def _delete_tables() -> None:
    for name in list(table_names(client())):
        if name.startswith(settings.DYNAMODB_TABLE_PREFIX):
            client().delete_table(TableName=name)


@pytest.fixture
def own_log(tables, settings):
    """Makes tables of months, in a log that nobody else writes to; begins with none."""
    LOG.flush(seconds=5)
    shared = settings.DYNAMODB_TABLE_PREFIX
    own = settings.DYNAMODB_TABLE_PREFIX = f"{shared}{unique('own')}-"

    def make(*months: Month) -> None:
        for month in months:
            make_table(month, client=client())

    yield make
    LOG.flush(seconds=5)
    settings.DYNAMODB_TABLE_PREFIX = shared
    for name in list(table_names(client())):
        if name.startswith(own):
            client().delete_table(TableName=name)


@pytest.fixture(autouse=True)
def nothing_remembered():
    """Forget the counts that pages were planned by, and their language.

    And addresses, which are others by other URLs; and that another system was away. There are no
    webhooks, and nobody has to read them.
    """
    translation.deactivate()
    cache.clear()
    address_of.cache_clear()
    remember_no_webhooks()
    for queue in queues():
        queue._paused_until.clear()


@pytest.fixture
def fresh():
    """Makes an id that no other test uses: ``fresh("product")``."""
    return unique


@pytest.fixture(scope="session")
def real_data():
    """The folder with the real reviews and orders."""
    folder = Path(os.environ.get("REAL_DATA_DIR") or PROJECT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there is no real data at {folder}; REAL_DATA_DIR says where it is")
    return folder
