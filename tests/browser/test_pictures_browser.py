"""The pictures of the documents in Chromium, in both themes: their texts, and their corners."""

import re
from base64 import b64encode

import pytest

from config.docs_pages import find_document, read_order

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

LEAST_CONTRAST = 4.5
"""What WCAG 2.2 asks for between a text and its ground (success criterion 1.4.3)."""
CORNER = 12
"""How many pixels of a corner are looked at, in both directions."""
MIDDLE = 128
"""Of a part of a colour: what is white is above it, what is black below."""

PICTURE = re.compile(r"<(img|svg|video|canvas|object)\b")
PICTURES = "article :is(img, svg, video, canvas, object)"
SOURCES = "pictures => pictures.map(picture => picture.currentSrc)"

CORNERS = """async ([png, size]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const [darkest, brightest] = [[], []];
    for (const x of [0, image.width - size]) {
        for (const y of [0, image.height - size]) {
            const parts = [...context.getImageData(x, y, size, size).data];
            const colours = parts.filter((_part, number) => number % 4 !== 3);
            darkest.push(Math.min(...colours));
            brightest.push(Math.max(...colours));
        }
    }
    return [Math.min(...darkest), Math.max(...brightest)];
}"""
"""The darkest and the brightest part of a colour in the corners of a PNG in base 64."""

FAINT_TEXTS = """(least) => {
    const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const luminance = (colour) => {
        const [red, green, blue] = parts(colour).map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (bright + 0.05) / (dark + 0.05);
    };
    const groundAt = (x, y) => {
        for (const shape of document.elementsFromPoint(x, y)) {
            const fill = getComputedStyle(shape).fill;
            if (shape.matches("rect, circle, ellipse, polygon, path") && fill !== "none") {
                return fill;
            }
        }
        return null;
    };
    const faint = [];
    for (const text of document.querySelectorAll("svg text")) {
        const box = text.getBoundingClientRect();
        const y = box.top + box.height / 2;
        for (const x of [box.left + 1, box.left + box.width / 2, box.right - 1]) {
            const ground = groundAt(x, y);
            const colour = getComputedStyle(text).fill;
            if (!ground || contrast(colour, ground) < least) {
                faint.push(`${text.textContent}: ${colour} on ${ground ?? "nothing"}`);
                break;
            }
        }
    }
    return faint;
}"""
"""The texts of a drawing that do not stand out from the shape behind them, or have none."""


def documents() -> list[str]:
    """The paths of all documents that have a picture."""
    paths = []
    for name in ("", *read_order()):
        if PICTURE.search(find_document(name).html):
            paths.append(f"/docs/{name}/" if name else "/docs/")
    return paths


@pytest.mark.parametrize("scheme", ["light", "dark"])
class TestEveryPictureOfTheDocuments:
    def test_is_as_bright_at_its_corners_as_the_page(self, open_context, scheme):
        context = open_context(color_scheme=scheme, locale="en-GB")
        page, blank = context.new_page(), context.new_page()
        seen, other = [], []
        for path in documents():
            page.goto(path)
            for picture in page.locator(PICTURES).all():
                png = b64encode(picture.screenshot()).decode()
                darkest, brightest = blank.evaluate(CORNERS, [png, CORNER])
                seen.append(path)
                if darkest < MIDDLE if scheme == "light" else brightest > MIDDLE:
                    other.append((path, picture.get_attribute("src"), darkest, brightest))
        assert seen
        assert other == []

    def test_has_texts_that_stand_out_on_a_page_of_any_colour(self, open_context, scheme):
        # Hosts of code may show a theme other than that of the system: a page counts for nothing.
        context = open_context(color_scheme=scheme, locale="en-GB")
        page, blank = context.new_page(), context.new_page()
        seen, faint = [], {}
        for path in documents():
            page.goto(path)
            for address in page.locator(PICTURES).evaluate_all(SOURCES):
                blank.set_content(context.request.get(address).text())
                seen.append(address)
                faint[address] = blank.evaluate(FAINT_TEXTS, LEAST_CONTRAST)
        assert seen
        assert {address: texts for address, texts in faint.items() if texts} == {}
