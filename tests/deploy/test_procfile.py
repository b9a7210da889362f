"""The Procfile starts what the image starts, by commands that exist."""

import json
import re

from django.core.management import get_commands

from tests.support.project import PROJECT


def processes() -> dict[str, str]:
    lines = (PROJECT / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


class TestTheProcfile:
    def test_names_commands_that_exist(self):
        commands = re.findall(r"manage\.py (\w+)", " ".join(processes().values()))
        assert commands == ["create_tables", "migrate_items", "work", "run_stream"]
        assert set(commands) <= get_commands().keys()

    def test_starts_the_site_as_the_image_does(self):
        image = (PROJECT / "deploy" / "Containerfile").read_text()
        assert json.loads(image.rpartition("\nCMD ")[2]) == processes()["web"].split()
