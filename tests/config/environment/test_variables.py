from pathlib import Path

import pytest

from config.environment.variables import Environment


def problems_of(environment: Environment) -> list[str]:
    return [problem.sentence for problem in environment.problems]


class TestText:
    def test_takes_the_default_when_unset_or_blank(self) -> None:
        environment = Environment({"BLANK": "  "})
        assert environment.text("MISSING", "default") == "default"
        assert environment.text("BLANK", "default") == "default"

    def test_drops_the_blanks_around_a_value(self) -> None:
        assert Environment({"NAME": " value\n"}).text("NAME") == "value"


class TestFlag:
    @pytest.mark.parametrize("value", ["1", "true", "YES", "On"])
    def test_knows_the_usual_words_for_true(self, value: str) -> None:
        assert Environment({"DEBUG": value}).flag("DEBUG") is True

    @pytest.mark.parametrize("value", ["0", "false", "NO", "Off", ""])
    def test_knows_the_usual_words_for_false(self, value: str) -> None:
        environment = Environment({"DEBUG": value})
        assert environment.flag("DEBUG") is False
        assert not environment.problems

    def test_reports_another_word_and_takes_the_default(self) -> None:
        environment = Environment({"DEBUG": "maybe"})
        assert environment.flag("DEBUG", default=True) is True
        assert problems_of(environment) == ["DEBUG is 'maybe', neither true nor false."]


class TestInteger:
    def read(self, value: str) -> tuple[int, list[str]]:
        environment = Environment({"PAGE_SIZE": value})
        return environment.integer("PAGE_SIZE", default=20, least=1, most=100), problems_of(
            environment
        )

    def test_takes_both_ends_of_its_range(self) -> None:
        assert self.read("1") == (1, [])
        assert self.read("100") == (100, [])

    @pytest.mark.parametrize("value", ["0", "101", "-5"])
    def test_reports_a_number_out_of_range(self, value: str) -> None:
        assert self.read(value) == (20, [f"PAGE_SIZE is {value}, out of its range."])

    @pytest.mark.parametrize("value", ["many", "1.5", "0x10"])
    def test_reports_what_is_no_whole_number(self, value: str) -> None:
        assert self.read(value) == (20, [f"PAGE_SIZE is {value!r}, not a whole number."])


class TestChoice:
    def read(self, value: str) -> tuple[str, list[str]]:
        environment = Environment({"MODEL": value})
        chosen = environment.choice("MODEL", default="indexes", among=("indexes", "sets"))
        return chosen, problems_of(environment)

    def test_takes_one_of_the_words_however_it_is_capitalised(self) -> None:
        assert self.read("Sets") == ("sets", [])

    def test_takes_the_default_when_unset(self) -> None:
        assert self.read(" ") == ("indexes", [])

    def test_reports_another_word_and_takes_the_default(self) -> None:
        assert self.read("tables") == ("indexes", ["MODEL is 'tables', not indexes or sets."])


class TestWords:
    def test_splits_at_commas_and_drops_empty_ones(self) -> None:
        environment = Environment({"ALLOWED_HOSTS": "a.example, b.example,,"})
        assert environment.words("ALLOWED_HOSTS") == ("a.example", "b.example")

    def test_takes_the_default_when_there_is_no_word(self) -> None:
        assert Environment({"ALLOWED_HOSTS": " , "}).words("ALLOWED_HOSTS", default=("x",)) == (
            "x",
        )


class TestUrl:
    @pytest.mark.parametrize(
        "value", ["http://127.0.0.1:8001", "https://dynamodb.example.com", "http://[::1]:8001/"]
    )
    def test_takes_the_address_of_a_server(self, value: str) -> None:
        environment = Environment({"ENDPOINT": value})
        assert environment.url("ENDPOINT") == value.rstrip("/")
        assert not environment.problems

    @pytest.mark.parametrize(
        "value",
        [
            "127.0.0.1:8001",
            "ftp://127.0.0.1",
            "http://",
            "http://host:port",
            "http://host:99999",
            "http://[::1",
            "http://host/path",
        ],
    )
    def test_reports_anything_else(self, value: str) -> None:
        environment = Environment({"ENDPOINT": value})
        assert environment.url("ENDPOINT") is None
        assert problems_of(environment) == [f"ENDPOINT is {value!r}, not the address of a server."]


class TestPath:
    def test_is_absolute(self) -> None:
        path = Environment({"FOLDER": "some/folder"}).path("FOLDER", default=Path("/other"))
        assert path == Path.cwd() / "some" / "folder"

    def test_is_the_default_when_unset(self) -> None:
        assert Environment({}).path("FOLDER", default=Path("/other")) == Path("/other")


class TestAwsCredentials:
    @pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"])
    def test_are_seen_when_a_variable_names_them(self, name: str) -> None:
        assert Environment({name: "something"}).has_aws_credentials()

    def test_are_not_seen_in_a_region(self) -> None:
        assert not Environment({"AWS_REGION": "eu-west-1"}).has_aws_credentials()


def test_a_copy_for_a_child_leaves_the_original_alone() -> None:
    environment = Environment({"A": "1", "B": "2"})
    assert environment.with_values(B="3", C="4") == {"A": "1", "B": "3", "C": "4"}
    assert environment.values == {"A": "1", "B": "2"}
