"""The proxies of deploy/nginx.conf and of the trial agree with the site, and nginx takes them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from config.settings import WRITE_SECONDS
from config.web.middleware import TRACE_HEADERS
from config.web.shedding import FORM_WAITS
from tests.support.project import PROJECT

PUBLIC, TRIAL = (PROJECT / "deploy" / name for name in ("nginx.conf", "nginx.trial.conf"))
BOTH = pytest.mark.parametrize("path", [PUBLIC, TRIAL], ids=lambda path: path.name)
CERTIFICATE = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def directives(path: Path) -> set[str]:
    """The directives of a file, each in a line: ``proxy_buffering on``."""
    return set(re.findall(r"^ *(\w[^#;{}]*);", path.read_text(), re.MULTILINE))


def value_of(directive: str, path: Path = PUBLIC) -> str:
    (value,) = re.findall(rf"^ *{directive} ([^;]+);", path.read_text(), re.MULTILINE)
    return value


@BOTH
class TestTheProxy:
    def test_takes_a_form_as_long_as_the_site_does(self, path):
        assert value_of("client_max_body_size", path) == "256k"
        assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == 256 * 1024

    def test_reads_a_request_to_its_end_within_a_time(self, path):
        assert value_of("proxy_request_buffering", path) == "on"
        for directive in ("client_header_timeout", "client_body_timeout", "send_timeout"):
            assert value_of(directive, path) == "10s"

    def test_waits_for_a_form_as_long_as_the_site_works_on_it(self, path):
        assert value_of("proxy_read_timeout", path) == f"{WRITE_SECONDS + FORM_WAITS + 2:.0f}s"

    def test_lets_an_address_send_few_forms_of_accounts(self, path):
        block = re.search(r"location /accounts/ \{(.*?)\}", path.read_text(), re.DOTALL)
        assert block
        assert "limit_req zone=dynashop_account_forms " in block[1]
        assert directives(path) >= {'default ""', "POST $binary_remote_addr"}
        assert value_of("limit_req_status", path) == "429"

    def test_passes_on_no_trace_that_a_visitor_claims(self, path):
        for header in TRACE_HEADERS:
            assert f'proxy_set_header {header} ""' in directives(path)


class TestTheTrial:
    def test_does_what_the_public_one_does_but_for_tls_and_names(self):
        def own(found: set[str]) -> set[str]:
            return {each for each in found if not re.match(r"listen|server |server_name", each)}

        missing = own(directives(PUBLIC)) - own(directives(TRIAL))
        assert {each for each in missing if not each.startswith("ssl_")} == {
            "return 301 https://$host$request_uri"
        }
        assert own(directives(TRIAL)) <= own(directives(PUBLIC))


class TestNginx:
    @pytest.fixture(autouse=True)
    def programs(self):
        for name in ("nginx", "openssl"):
            if shutil.which(name) is None:
                pytest.skip(f"{name} is not installed")

    @pytest.fixture
    def certificate(self, tmp_path):
        """A throwaway certificate: its paths by those of the configuration."""
        paths = {
            "/etc/ssl/shop.example.com.pem": str(tmp_path / "shop.pem"),
            "/etc/ssl/private/shop.example.com.key": str(tmp_path / "shop.key"),
        }
        certificate, key = paths.values()
        subprocess.run(
            [*CERTIFICATE, "-subj", "/CN=shop.example.com", "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
        )
        return paths

    @BOTH
    def test_takes_the_configuration(self, path, certificate, tmp_path):
        """Without a warning, but for one: from 1.25.1 on it wants http2 spelled otherwise."""
        text = path.read_text().replace("server site:8000;", "server 127.0.0.1:8000;")
        for before, now in certificate.items():
            text = text.replace(before, now)
        (tmp_path / "site.conf").write_text(text)
        kept_here = "\n".join(f"{name}_temp_path {tmp_path / name};" for name in TEMPORARY)
        (tmp_path / "nginx.conf").write_text(
            f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{kept_here}\ninclude {tmp_path}/site.conf;\n}}\n"
        )
        tried = subprocess.run(
            ["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")],
            capture_output=True,
            text=True,
            check=False,
        )
        said = [
            line
            for line in tried.stderr.splitlines()
            if re.search(r"\[(warn|emerg|error)\]", line)
            and '"listen ... http2" directive is deprecated' not in line
        ]
        assert (tried.returncode, said) == (0, []), tried.stderr
