"""An empty project follows docs/installing.md, and then has comments: with nothing else of ours."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from django.conf import settings

from comments.conf import DEFAULTS
from tests.support.documented_code import follow, run
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

WALK = PROJECT / "tests" / "support" / "walk_of_installing.py"
OPTION = re.compile(r"^\| `([A-Z_]+)` \| `(.*?)` \|", re.MULTILINE)


def environment_of(folder: Path, *apps: str) -> dict[str, str]:
    """Return the environment of a project that can import these apps, and nothing else of ours."""
    path = folder / "path"
    path.mkdir()
    for app in apps:
        (path / app).symlink_to(PROJECT / app)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(path),
        "DJANGO_SETTINGS_MODULE": "mysite.settings",
        "DYNAMODB_ENDPOINT_URL": settings.DYNAMODB_ENDPOINT_URL,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": settings.AWS_REGION,
    }


@pytest.fixture(scope="module")
def told(tables, tmp_path_factory):
    """What a walk through a project with the app alone has found."""
    folder = tmp_path_factory.mktemp("installing")
    environment = environment_of(folder, "dynapages", "comments")
    project = folder / "project"
    project.mkdir()
    follow("installing.md", project, environment)
    shutil.copy(WALK, project / "walk.py")
    return json.loads(run("python walk.py", project, environment))


class TestAProjectWithTheApp:
    def test_imports_nothing_else_of_ours(self, told):
        assert told["imported"] == []


class TestTheTableOfOptions:
    def test_has_all_with_their_defaults(self):
        document = (PROJECT / "docs" / "installing.md").read_text().partition("## Options")[2]
        told = dict(OPTION.findall(document))
        assert told == {name: repr(default) for name, default in DEFAULTS.items()}
