"""Which addresses a webhook may have, and which network addresses are public."""

from ipaddress import ip_address

import pytest

from shop.webhooks.addresses import BadUrl, Target, is_public, target_of

PRIVATE = [
    "0.0.0.0",  # noqa: S104 - nothing is bound to it
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.1.2.3",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]
PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]


class TestANetworkAddress:
    @pytest.mark.parametrize("address", PRIVATE)
    def test_that_leads_elsewhere_than_to_one_public_host_is_not_public(self, address):
        assert not is_public(ip_address(address))

    @pytest.mark.parametrize("address", PUBLIC)
    def test_of_a_public_host_is(self, address):
        assert is_public(ip_address(address))


class TestAnAddressOfAWebhook:
    @pytest.mark.parametrize(
        ("url", "target"),
        [
            ("https://example.com", Target("example.com", 443, "/")),
            ("https://Example.COM:8443/a/b?c=d", Target("example.com", 8443, "/a/b?c=d")),
            ("https://8.8.8.8/", Target("8.8.8.8", 443, "/")),
            ("https://[2606:4700::1111]/", Target("2606:4700::1111", 443, "/")),
            ("https://xn--mnchen-3ya.example/", Target("xn--mnchen-3ya.example", 443, "/")),
            ("https://a-b.c_d.example/x%20y", Target("a-b.c_d.example", 443, "/x%20y")),
        ],
    )
    def test_leads_to_a_host_a_port_and_a_path(self, url, target):
        assert target_of(url) == target

    @pytest.mark.parametrize("address", PRIVATE)
    def test_is_no_literal_that_is_not_public(self, address):
        host = f"[{address}]" if ":" in address else address
        with pytest.raises(BadUrl, match="private network"):
            target_of(f"https://{host}/")

    @pytest.mark.parametrize(
        ("url", "sentence"),
        [
            ("http://example.com/", "begins with https://"),
            ("ftp://example.com/", "begins with https://"),
            ("//example.com/", "begins with https://"),
            ("example.com", "begins with https://"),
            ("", "begins with https://"),
            ("https://", "whole name of a host"),
            ("https:///events", "whole name of a host"),
            ("https://ann@example.com/", "no user name"),
            ("https://ann:secret@example.com/", "no user name"),
            ("https://example.com\\@127.0.0.1/", "no user name"),
            ("https://example.com/#part", "behind a “#”"),
            ("https://example.com:port/", "no address"),
            ("https://example.com:99999/", "no address"),
            ("https://[::1/", "no address"),
            ("https://exa mple.com/", "neither blanks nor accents"),
            ("https://example.com/\n", "neither blanks nor accents"),
            ("https://münchen.example/", "neither blanks nor accents"),
            ("https://localhost/", "whole name of a host"),
            ("https://receiver/", "whole name of a host"),
            ("https://2130706433/", "whole name of a host"),
            ("https://0x7f000001/", "whole name of a host"),
            ("https://0177.0.0.1/", "whole name of a host"),
            ("https://127.1/", "whole name of a host"),
            ("https://1.0x7f/", "whole name of a host"),
            ("https://[receiver.example]/", "no address|whole name of a host"),
            ("https://example.com./", "whole name of a host"),
            ("https://exa$mple.com/", "whole name of a host"),
            (f"https://example.com/{'a' * 500}", "at most 500 characters"),
        ],
    )
    def test_is_refused_with_a_sentence_otherwise(self, url, sentence):
        with pytest.raises(BadUrl, match=sentence):
            target_of(url)
