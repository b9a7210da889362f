"""Drawings of products: SVG made of a product's id and a category, of nothing that is stored.

``drawings.toml`` has the shapes. The last words of an id that name one decide, as in
``oak-desk-lamp``; for other ids the category's family of shapes does, if it has one. Material words
decide on the colour. All else, such as the background, follows from a digest of the id.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from colorsys import hls_to_rgb
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition, require_safe

from dynapages.django.paging import address_of_item

T = TypeVar("T")
Tone = tuple[int, int]
"""Hue and saturation, as in ``hsl()``."""

SHAPES_FILE = Path(__file__).with_name("drawings.toml")
DEFAULT_FAMILY = "anything"
"""The family of what neither its id nor its category names."""
CATEGORY_FIELD = "category"
"""Of the query of a drawing's address."""
WIDTH = 120
HEIGHT = 90
CACHE_SECONDS = 30 * 24 * 3600
"""How long caches keep a drawing without asking: it changes with ``drawings.toml`` alone."""
MOST_WORDS = 2
"""In the name of a shape."""
GROUND_CLASS = "g"
SHADOW_CLASS = "c"
LIGHTNESS = {"a": 46, "b": 66, "c": 30}
"""Of a product's colour, in per cent, by its class in the shapes."""
DARK_LIGHTNESS = {"a": 52, "b": 70, "c": 36}
"""The same on a dark page."""
FIXED_COLOURS = {"w": "#bd9055", "m": "#8f9aa3", "p": "#f5f1e5", "v": "#4d8959", "y": "#f6d76f"}
SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For a drawing that is opened by itself: it has a style sheet, and needs nothing else."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The contents of ``drawings.toml``.

    ``bodies`` are fragments of SVG by the names of shapes, ``families`` the names of the shapes of
    each family. The others say what the words of ids and of slugs stand for.
    """

    bodies: Mapping[str, str]
    families: Mapping[str, tuple[str, ...]]
    shape_by_words: Mapping[str, str]
    family_by_word: Mapping[str, str]
    tone_by_word: Mapping[str, Tone]
    tones: tuple[Tone, ...]


# The file of shapes


@lru_cache(maxsize=1)
def shapes() -> Shapes:
    """Return the shapes of the file."""
    content = tomllib.loads(SHAPES_FILE.read_text(encoding="utf-8"))
    bodies: dict[str, str] = {}
    families: dict[str, tuple[str, ...]] = {}
    words_of_shapes: list[tuple[str, str]] = []
    for name, shape in content["shapes"].items():
        family = shape["family"]
        bodies[name] = shape["body"]
        families[family] = (*families.get(family, ()), name)
        words_of_shapes.append((name, shape["words"]))
    words_of_tones: list[tuple[Tone, str]] = []
    for colour in content["colours"].values():
        hue, saturation = colour["tone"]
        words_of_tones.append(((hue, saturation), colour["words"]))
    return Shapes(
        bodies=bodies,
        families=families,
        shape_by_words=_by_word(words_of_shapes),
        family_by_word=_by_word(content["families"].items()),
        tone_by_word=_by_word(words_of_tones),
        tones=tuple(tone for tone, _text in words_of_tones),
    )


def _by_word(named: Iterable[tuple[T, str]]) -> dict[str, T]:
    """Return what each word stands for; ``named`` are values, each with a text of its words."""
    values = {}
    for value, words in named:
        for word in words.split():
            values[word] = value
    return values


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _shape_named(product_id: str) -> str:
    """Return the shape that the last words of an id name, by as many of them as do; or empty."""
    words = _words(product_id)
    shape_by_words = shapes().shape_by_words
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - MOST_WORDS), end):
            shape = shape_by_words.get("-".join(words[start:end]))
            if shape:
                return shape
    return ""


def _family_named(slug: str) -> str:
    """Return the family that a word of a category's slug names, empty without one."""
    family_by_word = shapes().family_by_word
    for word in _words(slug):
        if word in family_by_word:
            return family_by_word[word]
    return ""


def _tone_named(product_id: str) -> Tone | None:
    """Return the colour of a product's drawing that a word of its id names, None without one."""
    tone_by_word = shapes().tone_by_word
    for word in _words(product_id):
        if word in tone_by_word:
            return tone_by_word[word]
    return None


# Drawing


@lru_cache(maxsize=1_000)
def drawing_url(product_id: str, slugs: tuple[str, ...] = ()) -> str:
    """Return the address of a product's drawing.

    ``slugs`` are those of its categories: the first one that has a family is in the address, unless
    the id names a shape itself.
    """
    url = address_of_item("drawing", product_id)
    if _shape_named(product_id):
        return url
    for slug in slugs:
        if _family_named(slug):
            return f"{url}?{urlencode({CATEGORY_FIELD: slug})}"
    return url


@lru_cache(maxsize=256)  # an answer needs it twice, for its ETag as well
def svg_of(product_id: str, category: str = "") -> str:
    """Draw a product, the same for the same id and category. It repeats no text of them.

    What neither of them names follows from a digest of the id.
    """
    known = shapes()
    digest = blake2b(product_id.encode(errors="replace"), digest_size=5).digest()
    shape = _shape_named(product_id)
    if not shape:
        family = known.families[_family_named(category) or DEFAULT_FAMILY]
        shape = family[digest[0] % len(family)]
    count = len(known.tones)
    tone = _tone_named(product_id) or known.tones[digest[1] % count]
    # The ground has any tone but the product's.
    ground = known.tones[(known.tones.index(tone) + 1 + digest[2] % (count - 1)) % count]
    mirrored = ' transform="translate(120)scale(-1 1)"' if digest[3] % 2 else ""
    hue, saturation = tone
    colour = (hue - 7 + digest[4] % 15, saturation)
    body = known.bodies[shape]
    styles = "".join(_styles(body, colour, ground))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" '
        'stroke-width="4" stroke-linecap="round" stroke-linejoin="round">'
        f"<style>{styles}</style>"
        f'<path class="{GROUND_CLASS}" d="M0 0h{WIDTH}v{HEIGHT}H0z"/><g{mirrored}>'
        f'<ellipse class="{SHADOW_CLASS}" opacity=".15" cx="60" cy="78" rx="44" ry="4"/>'
        f"{body}</g></svg>"
    )


def _styles(body: str, colour: Tone, ground: Tone) -> Iterator[str]:
    """Yield the rules for the classes of a body, on a light page and on a dark one."""
    classes = {SHADOW_CLASS, *re.findall(r'class="(\w)"', body)} - {GROUND_CLASS}
    hue, saturation = ground
    yield _rule(GROUND_CLASS, _hex((hue, saturation * 2 // 3), 90))
    for name in sorted(classes):
        kind = name.lower()
        if kind in FIXED_COLOURS:
            yield _rule(name, FIXED_COLOURS[kind])
        else:
            yield _rule(name, _hex(colour, LIGHTNESS[kind]))
    yield "@media(prefers-color-scheme:dark){"
    yield _rule(GROUND_CLASS, _hex((hue, saturation // 2), 20))
    for name in sorted(classes):
        kind = name.lower()
        if kind in DARK_LIGHTNESS:
            yield _rule(name, _hex(colour, DARK_LIGHTNESS[kind]))
    yield "}"


def _rule(name: str, colour: str) -> str:
    """Return the style of a class; those in capitals are strokes."""
    attribute = "stroke" if name.isupper() else "fill"
    return f".{name}{{{attribute}:{colour}}}"


def _hex(tone: Tone, lightness: int) -> str:
    """Return a colour as CSS has it, such as ``#8f9aa3``; ``lightness`` is in per cent."""
    hue, saturation = tone
    red, green, blue = hls_to_rgb(hue % 360 / 360, lightness / 100, saturation / 100)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


# Answering


def _etag(request: HttpRequest, product_id: str) -> str:
    """Return the digest of a drawing: caches ask by it whether theirs is still right."""
    svg = svg_of(product_id, request.GET.get(CATEGORY_FIELD, ""))
    return f'"{blake2b(svg.encode(), digest_size=8).hexdigest()}"'


@require_safe
@condition(etag_func=_etag)
def drawing(request: HttpRequest, product_id: str) -> HttpResponse:
    """Answer with the drawing of an id, for all visitors the same; no product of it need exist."""
    svg = svg_of(product_id, request.GET.get(CATEGORY_FIELD, ""))
    response = HttpResponse(svg, content_type="image/svg+xml")
    response["Content-Security-Policy"] = SECURITY_POLICY
    patch_cache_control(response, public=True, max_age=CACHE_SECONDS, immutable=True)
    return response
