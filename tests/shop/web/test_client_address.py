"""Which address a request is counted under."""

import pytest
from django.test import RequestFactory

from shop.web.client_address import client_network


def network(remote: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_network(RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers))


class TestTheAddressOfARequest:
    def test_is_that_of_the_connection(self):
        assert network("192.0.2.7") == "192.0.2.7"

    def test_is_not_what_the_client_says_it_is(self):
        assert network("192.0.2.7", forwarded="198.51.100.1") == "192.0.2.7"

    @pytest.mark.parametrize(
        ("proxies", "expected"), [(1, "203.0.113.9"), (2, "198.51.100.1"), (3, "192.0.2.7")]
    )
    def test_is_what_the_outermost_trusted_proxy_saw(self, settings, proxies, expected):
        settings.TRUSTED_PROXIES = proxies
        assert network("192.0.2.7", forwarded="198.51.100.1, 203.0.113.9") == expected

    def test_of_ipv6_is_that_of_the_whole_network(self):
        assert network("2001:db8:1:2:aaaa::1") == network("2001:db8:1:2:bbbb::2")
        assert network("2001:db8:1:2::1") != network("2001:db8:1:3::1")

    @pytest.mark.parametrize(
        ("spelled", "expected"),
        [
            ("192.0.2.7:4711", "192.0.2.7"),
            ("[2001:db8::1]:4711", "2001:db8::/64"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("", "unknown"),
            ("unix:", "unknown"),
        ],
    )
    def test_is_understood_in_other_spellings(self, spelled, expected):
        assert network(spelled) == expected
