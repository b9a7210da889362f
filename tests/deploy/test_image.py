"""The image of deploy/Containerfile: its steps, one by one, without a container."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.chance import unique
from tests.support.deploy.installation import (
    Installation,
    copy_of_image,
    database_variables,
    listing,
    production_packages,
    status_of,
)
from tests.support.ports import spare_port
from tests.support.project import PROJECT

CONTAINERFILE = (PROJECT / "deploy" / "Containerfile").read_text()
FINAL = CONTAINERFILE.rpartition("\nFROM ")[2]


def instructions(name: str, stage: str = FINAL) -> list[str]:
    """The arguments of an instruction, each in a line."""
    joined = stage.replace("\\\n", " ")
    return re.findall(rf"^{name} +(.+)$", joined, re.MULTILINE)


class TestTheContainerfile:
    def test_is_taken_by_hadolint(self):
        hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
        if hadolint is None:
            pytest.skip("hadolint is not installed (requirements-checks.txt)")
        found = subprocess.run(
            [hadolint, PROJECT / "deploy" / "Containerfile"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (found.returncode, found.stdout) == (0, "")

    def test_ends_with_a_user_who_is_nobody_here(self):
        assert instructions("USER") == ["10001:10001"]

    def test_installs_by_hashes_alone(self):
        installs = re.findall(r"pip install (.*)", CONTAINERFILE)
        assert len(installs) == 2
        assert all("--require-hashes" in install for install in installs)

    def test_copies_nothing_that_gets_in_by_chance(self):
        lines = (PROJECT / ".dockerignore").read_text().splitlines()
        rules = [line for line in lines if line and not line.startswith("#")]
        assert rules[0] == "*"
        assert rules[-1] == "**/__pycache__"
        assert all((PROJECT / rule.removeprefix("!")).exists() for rule in rules[1:-1])


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The files and the variables of a container, collected as the build does."""
    root = tmp_path_factory.mktemp("image")
    packages = production_packages(tmp_path_factory.mktemp("packages"))
    folder = copy_of_image(root / "app")
    (root / "var").mkdir()
    told = dict(word.split("=", 1) for word in instructions("ENV")[0].split())
    places = {"/app": str(folder), "/var/lib/dynashop": str(root / "var"), "/venv": str(packages)}
    for place, here in places.items():
        told = {name: value.replace(place, here) for name, value in told.items()}
    collected = Installation(folder, packages, {"STATIC_ROOT": told["STATIC_ROOT"]}).run(
        "manage.py", "collectstatic", "--no-input"
    )
    assert collected.returncode == 0, collected.stderr
    site = {
        **database_variables(),
        "ALLOWED_HOSTS": ".shop.example.com,127.0.0.1",
        "DYNAMODB_TABLE_PREFIX": f"{unique('image')}-",
        "PORT": str(spare_port()),
        "SECRET_KEY": "image" * 10,
        "SITE_URL": "https://shop.example.com",
    }
    return Installation(folder, packages, told | site)


@pytest.fixture(scope="module")
def port(image, tmp_path_factory):
    """Where the image's own command serves, on tables that another container made."""
    made = image.run("manage.py", "create_tables")
    assert made.returncode == 0, made.stderr
    words = json.loads(instructions("CMD")[-1])
    port = int(image.environment["PORT"])
    with image.serving(words, port, tmp_path_factory.mktemp("log") / "gunicorn.log"):
        yield port


def megabytes_of(folder: Path) -> list[float]:
    """The proportional set size of each process that works in a folder."""
    sizes = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_here = (process / "cwd").readlink() == folder
            rollup = (process / "smaps_rollup").read_text() if is_here else ""
        except OSError:  # it has ended, or is somebody else's
            continue
        sizes += [int(size) / 1024 for size in re.findall(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)]
    return sizes


@pytest.mark.slow
@pytest.mark.long
class TestAContainer:
    def test_has_all_that_its_pages_need(self, port):
        for path in ("/", "/readyz", "/categories/", "/docs/how-it-works/", "/robots.txt"):
            assert status_of(port, path) == 200, path

    def test_serves_its_stylesheets(self, image, port):
        collected = json.loads((image.folder / "collected/staticfiles.json").read_text())
        path = collected["paths"]["css/base.css"]
        assert status_of(port, f"/static/{path}") == 200

    def test_is_healthy_by_its_own_check(self, image, port):
        (check,) = re.findall(r"CMD (\[.*\])$", instructions("HEALTHCHECK")[0])
        assert image.run(*json.loads(check)[1:]).returncode == 0

    def test_is_found_ill_when_nobody_answers(self, image):
        (check,) = re.findall(r"CMD (\[.*\])$", instructions("HEALTHCHECK")[0])
        alone = Installation(
            image.folder, image.packages, image.environment | {"PORT": str(spare_port())}
        )
        asked = alone.run(*json.loads(check)[1:])
        assert asked.returncode == 1
        assert asked.stderr.startswith("/healthz: ConnectionRefusedError")

    def test_writes_nothing_beside_its_var_folder(self, image, port):
        before = listing(image.folder)
        for path in ("/", "/docs/how-it-works/"):
            status_of(port, path)
        for command in ("migrate_items", "rotate_activity_tables", "write_sitemap"):
            ended = image.run("manage.py", command)
            assert ended.returncode == 0, ended.stderr
        assert listing(image.folder) == before

    def test_takes_the_memory_that_the_document_allows(self, image, port):
        document = (PROJECT / "docs" / "deploying.md").read_text()
        (allowed,) = re.findall(r"Allow (\d+) MB for two processes", document)
        for _ in range(100):
            for path in (
                "/",
                "/products/",
                "/search/?q=lamp",
                "/docs/how-it-works/",
                "/api/v1/products",
            ):
                assert status_of(port, path) == 200, path
        sizes = megabytes_of(image.folder)
        assert len(sizes) == 3
        # Much more may be allowed than these pages take, but not twice as much.
        assert int(allowed) / 2 < sum(sizes) < int(allowed), sizes
