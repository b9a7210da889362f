"""The services of deploy/compose.yaml: what they start, read, and may do."""

import json
import re
from typing import Any

import pytest
from django.core.management import get_commands

from tests.support.config.environments import run_python
from tests.support.project import PROJECT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (requirements-checks.txt)")

DEPLOY = PROJECT / "deploy"
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())[
    "services"
]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "dynashop"}
EXAMPLE = (DEPLOY / "site.env.example").read_text()
each = pytest.mark.parametrize("service", SERVICES.values(), ids=list(SERVICES))


def documented_settings() -> set[str]:
    text = (PROJECT / "docs" / "settings.md").read_text()
    return set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))


def settings_of_the_example() -> dict[str, str]:
    return dict(re.findall(r"^(\w+)=(.*)$", EXAMPLE, re.MULTILINE))


class TestAService:
    @each
    def test_may_do_nothing_but_its_work(self, service):
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in service
        assert "cap_add" not in service

    @each
    def test_is_asked_for_its_health_or_says_that_it_has_none_to_ask_for(self, service):
        health = service["healthcheck"]
        assert health == {"disable": True} or health["test"][0] == "CMD"

    @each
    def test_waits_for_what_can_be_waited_for(self, service):
        for name, wanted in service.get("depends_on", {}).items():
            other = SERVICES[name]
            if wanted["condition"] == "service_healthy":
                assert "test" in other["healthcheck"]
            else:
                assert wanted["condition"] == "service_completed_successfully"
                assert other["restart"] == "no"

    @each
    def test_is_reached_from_this_machine_alone_by_the_proxy_alone(self, service):
        ports = service.get("ports", [])
        assert bool(ports) == (service is SERVICES["proxy"])
        assert all(port.startswith("127.0.0.1:") for port in ports)

    @each
    def test_mounts_files_that_exist_and_volumes_that_are_declared(self, service):
        declared = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["volumes"]
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if "/" in source else source in declared


class TestTheSite:
    @pytest.mark.parametrize("service", OURS.values(), ids=list(OURS))
    def test_starts_commands_that_exist(self, service):
        words = " ".join(service.get("command", []))
        assert set(re.findall(r"manage\.py (\w+)", words)) <= get_commands().keys()

    def test_does_in_other_containers_what_has_to_be_done(self):
        words = " ".join(" ".join(service.get("command", [])) for service in OURS.values())
        assert set(re.findall(r"manage\.py (\w+)", words)) == {
            "create_tables",
            "migrate_items",
            "rotate_activity_tables",
            "mail_moderators",
            "write_sitemap",
            "run_stream",
            "work",
        }

    def test_starts_with_the_settings_of_the_compose_file(self, tmp_path):
        """The example beside it, with a key, and what the compose file sets, pass all checks."""
        environment = settings_of_the_example() | SERVICES["site"]["environment"]
        environment |= {"SECRET_KEY": "s" * 50, "VAR_DIR": str(tmp_path)}
        environment["COMMENTS_READ_MODEL"] = "indexes"
        checked = run_python("manage.py", "check", "--fail-level", "WARNING", **environment)
        assert checked.returncode == 0, checked.stderr

    def test_is_behind_one_proxy(self):
        assert SERVICES["site"]["environment"]["TRUSTED_PROXIES"] == "1"
        assert "proxy_set_header X-Forwarded-For" in (DEPLOY / "nginx.trial.conf").read_text()

    def test_is_asked_for_its_health_as_by_its_image(self):
        image = (DEPLOY / "Containerfile").read_text()
        (asked,) = re.findall(r"^HEALTHCHECK [^[]*CMD (\[.*\])$", image, re.MULTILINE)
        assert SERVICES["site"]["healthcheck"]["test"][1:] == json.loads(asked)


class TestTheExampleOfSettings:
    def test_names_settings_that_exist_as_the_compose_file_does(self):
        named = [service["environment"].keys() for service in OURS.values()]
        assert settings_of_the_example().keys() | set().union(*named) <= documented_settings()

    def test_holds_no_secret(self):
        secret = {name for name in settings_of_the_example() if re.search("KEY|PASSWORD", name)}
        assert secret == {"SECRET_KEY", "EMAIL_HOST_PASSWORD"}
        assert not any(settings_of_the_example()[name] for name in secret)

    def test_is_kept_out_of_the_repository_when_it_is_filled_in(self):
        assert "deploy/site.env" in (PROJECT / ".gitignore").read_text().splitlines()
