import re

import pytest
from django.test import Client

pytestmark = pytest.mark.usefixtures("tables")


class TestServerTiming:
    def test_tells_staff_what_a_page_cost(self, sam):
        told = sam.get("/staff/orders/").response["Server-Timing"]
        assert re.fullmatch(
            r'dynamodb;desc="\d+ calls, \d rounds, [\d.]+ units", page;dur=[\d.]+', told
        )

    def test_tells_nobody_else(self, alice):
        assert "Server-Timing" not in alice.get("/orders/").response
        assert "Server-Timing" not in Client().get("/").headers
