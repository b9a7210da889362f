"""What mypy says of programs that use the library; ``make lint`` asks pyright too."""

import pytest

from dynapages_testing import type_checks

pytest.importorskip("mypy")
pytest.importorskip("pynamodb")
pytest.importorskip("boto3")


def test_mypy_takes_what_is_right_and_refuses_each_mistake(tmp_path):
    type_checks.install(tmp_path)
    marked = type_checks.marked_lines()
    assert len(marked) > 10
    assert type_checks.lines_refused_by_mypy(tmp_path) == marked
