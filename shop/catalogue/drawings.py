"""Drawings of products: SVG made of a product's id and a category, of nothing that is stored.

``drawings.toml`` has the shapes. The last words of an id that name one decide, as in
``oak-desk-lamp``; for other ids the category's family of shapes does, if it has one. Material words
decide on the colour. All else, such as the background, follows from a digest of the id.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from colorsys import hls_to_rgb
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition, require_safe

FILE = Path(__file__).with_name("drawings.toml")
ANYTHING = "anything"
"""The family of what neither its id nor its category names."""
CATEGORY = "category"
WIDTH, HEIGHT = 120, 90
SECONDS = 30 * 24 * 3600
"""How long caches keep a drawing without asking: it changes with ``drawings.toml`` alone."""
MOST_WORDS = 2
"""In the name of a shape."""
Tone = tuple[int, int]
"""Hue and saturation, as in ``hsl()``."""
LIGHTNESS = {"a": (46, 52), "b": (66, 70), "c": (30, 36)}
"""Of a product's colour by its class in the shapes, on a light page and on a dark one."""
FIXED = {"w": "#bd9055", "m": "#8f9aa3", "p": "#f5f1e5", "v": "#4d8959", "y": "#f6d76f"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For a drawing that is opened by itself: it has a style sheet, and needs nothing else."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The contents of ``drawings.toml``: bodies and families of shapes, and what words mean."""

    bodies: Mapping[str, str]
    families: Mapping[str, tuple[str, ...]]
    shape_by_words: Mapping[str, str]
    family_by_word: Mapping[str, str]
    tone_by_word: Mapping[str, Tone]
    tones: tuple[Tone, ...]


@lru_cache(maxsize=1)
def shapes() -> Shapes:
    """Return the shapes of the file."""
    told = tomllib.loads(FILE.read_text(encoding="utf-8"))
    drawn, colours = told["shapes"], told["colours"].values()
    families: dict[str, tuple[str, ...]] = {}
    for name, shape in drawn.items():
        families[shape["family"]] = (*families.get(shape["family"], ()), name)
    return Shapes(
        bodies={name: shape["body"] for name, shape in drawn.items()},
        families=families,
        shape_by_words={one: name for name, of in drawn.items() for one in of["words"].split()},
        family_by_word={one: name for name, of in told["families"].items() for one in of.split()},
        tone_by_word={one: tuple(of["tone"]) for of in colours for one in of["words"].split()},
        tones=tuple(tuple(of["tone"]) for of in colours),
    )


@lru_cache(maxsize=1_000)
def drawing_url(product_id: str, slugs: tuple[str, ...] = ()) -> str:
    """Return the address of a product's drawing.

    ``slugs`` are those of its categories: the first one that has a family is in the address, unless
    the id names a shape itself.
    """
    url = reverse("drawing", args=[product_id])
    if _shape_named(product_id):
        return url
    slug = next(filter(_family_of, slugs), "")
    return f"{url}?{urlencode({CATEGORY: slug})}" if slug else url


@lru_cache(maxsize=256)  # an answer needs it twice, for its ETag as well
def svg_of(product_id: str, category: str = "") -> str:
    """Draw a product, the same for the same id and category. It repeats no text of them."""
    known = shapes()
    digest = blake2b(product_id.encode(errors="replace"), digest_size=5).digest()
    family = known.families[_family_of(category) or ANYTHING]
    shape = _shape_named(product_id) or family[digest[0] % len(family)]
    count = len(known.tones)
    named = (known.tone_by_word.get(word) for word in _words(product_id))
    hue, saturation = tone = next(filter(None, named), known.tones[digest[1] % count])
    behind = (known.tones.index(tone) + 1 + digest[2] % (count - 1)) % count
    turned = ' transform="translate(120)scale(-1 1)"' if digest[3] % 2 else ""
    colour = (hue - 7 + digest[4] % 15, saturation)
    body = known.bodies[shape]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" '
        'stroke-width="4" stroke-linecap="round" stroke-linejoin="round">'
        f"<style>{''.join(_styles(body, colour, known.tones[behind]))}</style>"
        f'<path class="g" d="M0 0h{WIDTH}v{HEIGHT}H0z"/><g{turned}>'
        f'<ellipse class="c" opacity=".15" cx="60" cy="78" rx="44" ry="4"/>{body}</g></svg>'
    )


def _styles(body: str, colour: Tone, behind: Tone) -> Iterator[str]:
    """Yield the rules for the classes of a body; capitals are strokes."""
    used = sorted({"c", *re.findall(r'class="(\w)"', body)} - {"g"})
    light = {name: _hex(colour, each) for name, (each, _) in LIGHTNESS.items()} | FIXED
    dark = {name: _hex(colour, each) for name, (_, each) in LIGHTNESS.items()}
    ground, in_the_dark = (behind[0], behind[1] * 2 // 3), (behind[0], behind[1] // 2)
    yield _rule("g", _hex(ground, 90))
    yield from (_rule(name, light[name.lower()]) for name in used)
    yield "@media(prefers-color-scheme:dark){"
    yield _rule("g", _hex(in_the_dark, 20))
    yield from (_rule(name, dark[name.lower()]) for name in used if name.lower() in dark)
    yield "}"


def _rule(name: str, colour: str) -> str:
    return f".{name}{{{'stroke' if name.isupper() else 'fill'}:{colour}}}"


def _hex(tone: Tone, lightness: int) -> str:
    red_green_blue = hls_to_rgb(tone[0] % 360 / 360, lightness / 100, tone[1] / 100)
    return f"#{''.join(f'{round(255 * part):02x}' for part in red_green_blue)}"


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _shape_named(product_id: str) -> str:
    """Return the shape that the last words of an id name, by as many of them as do; or empty."""
    words, known = _words(product_id), shapes().shape_by_words
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - MOST_WORDS), end):
            if shape := known.get("-".join(words[start:end])):
                return shape
    return ""


def _family_of(slug: str) -> str:
    """Return the family that a word of a category's slug names, empty without one."""
    known = shapes().family_by_word
    return next((known[word] for word in _words(slug) if word in known), "")


def _etag(request: HttpRequest, product_id: str) -> str:
    svg = svg_of(product_id, request.GET.get(CATEGORY, ""))
    return f'"{blake2b(svg.encode(), digest_size=8).hexdigest()}"'


@require_safe
@condition(etag_func=_etag)
def drawing(request: HttpRequest, product_id: str) -> HttpResponse:
    """Answer with the drawing of an id, for all visitors the same; no product of it need exist."""
    svg = svg_of(product_id, request.GET.get(CATEGORY, ""))
    response = HttpResponse(svg, content_type="image/svg+xml")
    response["Content-Security-Policy"] = POLICY
    patch_cache_control(response, public=True, max_age=SECONDS, immutable=True)
    return response
