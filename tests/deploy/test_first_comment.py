"""The path of docs/deploying.md, from nothing to the first comment, in a folder."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.chance import unique
from tests.support.deploy.installation import (
    Installation,
    copy_of_image,
    database_variables,
    production_packages,
)
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.project import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.long]

NOT_RUN = {
    "account=$(aws": "there is no account at Amazon",
    "cd /srv/shop\npython3 -m venv": "the requirements are installed already, from their index",
    "cp --recursive deploy/systemd": "systemd does not run in a container; see test_units.py",
    "cp deploy/nginx.conf": "nginx would need its port; see test_proxy.py",
}
"""The blocks that cannot run here, by their beginnings, and why."""
SERVER = ".venv/bin/gunicorn "
SHELL = "cd /srv/shop\nset -a"
PASSWORD = "a long way to go"  # noqa: S105 - of a shop that ends with the test
HOST = "shop.example.com"


def blocks() -> list[str]:
    """The commands of the section, block by block."""
    text = (PROJECT / "docs" / "deploying.md").read_text()
    section = text.partition("\n## From an empty account to the first comment\n")[2]
    section = section.partition("\n## ")[0]
    found = re.findall(r"(?:^ {4}.*\n)+", section, re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found]


def is_run(block: str) -> bool:
    return not any(block.startswith(beginning) for beginning in NOT_RUN)


@dataclass
class Machine:
    """Where the commands are run: ``root`` is what they call ``/``, behind it is an engine."""

    root: Path
    installation: Installation
    port: int
    stack: ExitStack
    shell: str = "true"
    said: dict[str, str] = field(default_factory=dict)

    def here(self, block: str) -> str:
        """A block for this machine: its paths, and a password, which no terminal is asked for."""
        block = re.sub(r"/(srv/shop|etc/dynashop)\b", rf"{self.root}/\1", block)
        return block.replace("create_user pat", f"create_user pat --password '{PASSWORD}'")

    def follow(self, block: str) -> None:
        """Run a block as a shell would that has read what was set before."""
        if block.startswith(SERVER):
            words = block.split()
            serving = Installation(
                self.installation.folder, self.installation.packages, self._variables()
            )
            log = self.root / "gunicorn.log"
            self.stack.enter_context(serving.serving(["gunicorn", *words[1:]], self.port, log))
            return
        ended = subprocess.run(
            ["bash", "-euc", f"{self.shell}\n{self.here(block)}"],
            cwd=self.installation.folder,
            env=self.installation.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, f"{block}\n{ended.stdout}{ended.stderr}"
        self.said[block] = ended.stdout + ended.stderr
        if block.startswith(SHELL):
            self.shell = self.here(block)

    def _variables(self) -> dict[str, str]:
        printed = subprocess.run(
            ["bash", "-euc", f"{self.shell}\nenv -0"],
            env=self.installation.environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return dict(line.split("=", 1) for line in printed.rstrip("\0").split("\0"))


def put_python(shop: Path) -> None:
    """Put what step 2 installs: a Python that finds the production packages alone."""
    programs = {"python": "-S", "gunicorn": "-S -m gunicorn"}
    (shop / ".venv/bin").mkdir(parents=True)
    for name, options in programs.items():
        path = shop / ".venv/bin" / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {options} "$@"\n')
        path.chmod(0o755)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The machine after the last block, with the site running."""
    root = tmp_path_factory.mktemp("machine")
    shop = copy_of_image(root / "srv/shop")
    shutil.copytree(PROJECT / "deploy", shop / "deploy", dirs_exist_ok=True)
    put_python(shop)
    packages = production_packages(tmp_path_factory.mktemp("packages"))
    port = spare_port()
    environment = {
        **database_variables(),
        "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{port}",
        "PATH": os.environ["PATH"],
        "PORT": str(port),
        "PYTHONPATH": str(packages),
    }
    example = shop / "deploy/site.env.example"
    prefix = f"{unique('path')}-"
    example.write_text(example.read_text().replace("PREFIX=shop-", f"PREFIX={prefix}"))
    with ExitStack() as stack:
        machine = Machine(root, Installation(shop, packages, environment), port, stack)
        for block in filter(is_run, blocks()):
            machine.follow(block)
        yield machine


class Browser:
    """A visitor behind the proxy, which has ended TLS."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> tuple[int, str]:
        return self._ask("GET", path)

    def send(self, path: str, **fields: str) -> tuple[int, str]:
        """Fill in the form of a page, and send it with the fields that it hides."""
        _, page = self.get(path)
        hidden = re.findall(r'<input type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page)
        return self._ask("POST", path, urlencode(dict(hidden) | fields))

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {
            "Host": HOST,
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "Referer": f"https://{HOST}{path}",
            "X-Forwarded-For": "192.0.2.7",
            "X-Forwarded-Proto": "https",
        }
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: m.value for name, m in SimpleCookie(cookie).items()}
            return answer.status, answer.read().decode()
        finally:
            connection.close()


class TestThePath:
    def test_leaves_out_only_what_cannot_run_here(self):
        beginnings = [b for b in NOT_RUN if any(block.startswith(b) for block in blocks())]
        assert beginnings == list(NOT_RUN)
        assert sum(map(is_run, blocks())) == len(blocks()) - len(NOT_RUN)

    def test_finds_nothing_wrong_with_the_settings_but_two_decisions(self, machine):
        (said,) = (text for block, text in machine.said.items() if "check --deploy" in block)
        assert re.findall(r"^\?: \((\S+)\)", said, re.MULTILINE) == [
            "security.W005",
            "security.W021",
        ]

    def test_keeps_the_key_to_root(self, machine):
        path = machine.root / "etc/dynashop/site.env"
        assert path.stat().st_mode & 0o777 == 0o600
        assert len(re.findall(r"^SECRET_KEY=([\w-]{50,})$", path.read_text(), re.MULTILINE)) == 1

    def test_prints_nothing_about_a_healthy_site(self, machine):
        assert machine.said[".venv/bin/python deploy/healthcheck.py"] == ""

    def test_ends_with_the_first_comment(self, machine):
        browser = Browser(machine.port)
        code, page = browser.get("/products/lamp/")
        assert (code, "Desk lamp" in page) == (200, True)
        code, _ = browser.send("/accounts/login/", username="pat", password=PASSWORD)
        assert code == 302
        told = {
            "rating": "5",
            "title": "Bright",
            "body": "It is bright and warm.",
            "language": "en",
        }
        code, page = browser.send("/products/lamp/comments/new/", **told)
        assert code in {302, 303}, page
        assert "It is bright and warm." in Browser(machine.port).get("/products/lamp/")[1]
