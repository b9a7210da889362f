"""The proxy of deploy/nginx.conf agrees with the site behind it."""

import re

from django.conf import settings

from config.settings import WRITE_SECONDS
from tests.support.project import PROJECT

NGINX = (PROJECT / "deploy" / "nginx.conf").read_text()


def value_of(directive: str) -> str:
    (value,) = re.findall(rf"^ *{directive} ([^;]+);", NGINX, re.MULTILINE)
    return value


class TestTheProxy:
    def test_takes_a_form_as_long_as_the_site_does(self):
        assert value_of("client_max_body_size") == "256k"
        assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == 256 * 1024

    def test_reads_a_request_to_its_end_within_a_time(self):
        assert value_of("proxy_request_buffering") == "on"
        for directive in ("client_header_timeout", "client_body_timeout", "send_timeout"):
            assert value_of(directive) == "10s"

    def test_waits_for_a_form_as_long_as_the_site_works_on_it(self):
        assert value_of("proxy_read_timeout") == f"{WRITE_SECONDS + 2:.0f}s"
