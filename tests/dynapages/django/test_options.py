"""Numbers in the options of commands."""

from argparse import ArgumentTypeError

import pytest
from django.core.management import CommandError, call_command

from dynapages.django.options import at_least_one


class TestANumberOfAtLeastOne:
    @pytest.mark.parametrize("text", ["0", "-1", "", "x", "1.5", "٣", "1_0", " 1"])
    def test_is_nothing_else(self, text):
        with pytest.raises(ArgumentTypeError, match="not a whole number of at least 1"):
            at_least_one(text)

    @pytest.mark.parametrize(
        "asked",
        [
            ("create_tables", "--provisioned", "5", "0"),
            ("import_orders", "somewhere", "--at-a-time", "0"),
            ("load_sample", "--comments", "-5"),
            ("bench", "--comments", "0"),
        ],
    )
    def test_is_what_commands_ask_for_before_they_begin(self, asked):
        with pytest.raises(CommandError, match="not a whole number of at least 1"):
            call_command(*asked)
