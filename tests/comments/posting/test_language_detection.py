"""What the detection of languages costs."""

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from py3langid.langid import LanguageIdentifier

from comments.posting import language_detection
from comments.posting.language_detection import detect_language, load


@pytest.fixture
def loads(monkeypatch):
    """The files from which a model was loaded."""
    files: list[str] = []
    load_file = LanguageIdentifier.from_model_file

    def note(file: str, *args: Any, **how: Any) -> LanguageIdentifier:
        files.append(file)
        return load_file(file, *args, **how)

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", note)
    language_detection._load.cache_clear()
    return files


def test_the_model_is_loaded_once_however_many_need_it_at_once(loads):
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(detect_language, ["Bright and warm."] * 4)] == ["en"] * 4
    assert len(loads) == 1


def test_the_model_has_its_table_of_probabilities_once():
    referents = gc.get_referents(load())
    within = [each for held in referents if isinstance(held, tuple) for each in held]
    tables = [each for each in (*referents, *within) if isinstance(each, np.ndarray)]
    assert len({id(table) for table in tables if table.ndim == 2}) == 1
