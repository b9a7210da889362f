"""What the detection of languages costs."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from comments.posting import language_detection
from comments.posting.language_detection import detect_language


@pytest.fixture
def loads(monkeypatch) -> list[str]:
    """The files from which a model is loaded, which takes a moment and is always sure."""
    files: list[str] = []
    model = SimpleNamespace(
        labels=[], set_languages=lambda _codes: None, classify=lambda _text: ("en", 1.0)
    )

    def load(file: str, **_: object) -> SimpleNamespace:
        files.append(file)
        time.sleep(0.05)
        return model

    identifier = SimpleNamespace(from_model_file=load)
    monkeypatch.setattr(language_detection, "LanguageIdentifier", identifier)
    language_detection._load.cache_clear()
    yield files
    language_detection._load.cache_clear()


def test_the_model_is_loaded_once_however_many_need_it_at_once(loads):
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(detect_language, ["Bright and warm."] * 4)] == ["en"] * 4
    assert len(loads) == 1
