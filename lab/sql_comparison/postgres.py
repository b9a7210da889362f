"""A PostgreSQL of the lab's own: started on an empty folder, and gone at the end."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

from dynapages.engine.child import LOOPBACK, Child, EngineError, free_port
from dynapages.engine.server import EngineDied, EngineSilent

NAME = "PostgreSQL"
DEBIAN = Path("/usr/lib/postgresql")
"""Debian installs each version below this folder, and not on the PATH."""
USER = "peers"
SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # an SSD's
    "jit": "off",  # compiling takes longer than these queries
    "fsync": "off",  # the data is thrown away
}
INIT_OPTIONS = (
    *("--auth=trust", f"--username={USER}", "--encoding=UTF8", "--no-sync"),
    "--locale=C",  # sorts by bytes, as DynamoDB does
)
GREETING = "ready to accept connections"
START_SECONDS, POLL_SECONDS = 30.0, 0.02


class PostgresMissing(EngineError):
    """PostgreSQL is not installed, or not its driver; the sentence says how to get it."""


class InitFailed(EngineError):
    """initdb made no database; the sentence ends with the last line it printed."""


def require_programs() -> Path:
    """Return the folder of ``postgres`` and ``initdb``. Raises PostgresMissing."""
    if find_spec("psycopg") is None:
        raise PostgresMissing("psycopg is not installed here; 'make install-lab' installs it.")
    installed = sorted(DEBIAN.glob("*/bin"), key=lambda path: float(path.parts[-2]), reverse=True)
    folders = os.pathsep.join([os.environ["PATH"], *map(str, installed)])
    found = shutil.which("initdb", path=folders)
    if found is None:
        raise PostgresMissing("PostgreSQL is not installed here; Debian has it as postgresql-15.")
    return Path(found).resolve().parent


@contextmanager
def running(*, folder: Path) -> Iterator[int]:
    """Run PostgreSQL on new data below ``folder``, and yield its port. Raises EngineError.

    It refuses to run as root, who starts it as another user: one who may have no way into the
    folder, so that the data is in the system's temporary one.
    """
    programs, port, prefix = require_programs(), free_port(), list[str]()
    is_root = os.geteuid() == 0
    with TemporaryDirectory(dir=None if is_root else folder, prefix="peers-") as temporary:
        if is_root:
            known = {user.pw_name: user for user in pwd.getpwall()}
            user = known.get("postgres") or known["nobody"]
            shutil.chown(temporary, user.pw_uid)
            rights = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
            prefix = ["/usr/bin/env", f"--chdir={temporary}", "setpriv", *rights]
            prefix.append("--pdeathsig=TERM")  # it ends when we do, though its user is another
        data = f"-D{temporary}/data"
        _init([*prefix, str(programs / "initdb"), data, *INIT_OPTIONS])
        options = [f"--{name}={value}" for name, value in ({"port": port} | SETTINGS).items()]
        with Child([*prefix, str(programs / "postgres"), data, *options], listen=True) as child:
            _wait_until_it_listens(child, port)
            yield port


def _init(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        (*_, last_line) = ("", *done.stderr.strip().splitlines())
        raise InitFailed(f"initdb made no database: {last_line}")


def _wait_until_it_listens(child: Child, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not any(GREETING in line for line in child.output()):
        if (exit_code := child.poll()) is not None:
            raise EngineDied(NAME, exit_code, child.output())
        if time.monotonic() > deadline:
            raise EngineSilent(NAME, port, START_SECONDS)
        time.sleep(POLL_SECONDS)


M = TypeVar("M", bound=Model)
ALIAS = "peers"


@contextmanager
def connected(port: int) -> Iterator[None]:
    """Let Django's ORM use the database ``ALIAS`` within the block, by one lasting connection."""
    wanted = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": LOOPBACK,
        "PORT": str(port),
        "USER": USER,
        "NAME": "postgres",
        "CONN_MAX_AGE": None,
    }
    filled = connections.configure_settings({DEFAULT_DB_ALIAS: {}, ALIAS: wanted})
    connections.settings[ALIAS] = filled[ALIAS]
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def rows_of(model: type[M]) -> QuerySet[M]:
    """Return all rows of a model in this database."""
    return QuerySet(model, using=ALIAS)
