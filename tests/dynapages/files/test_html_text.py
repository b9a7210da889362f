"""HTML in the texts of a file: what is HTML, and what it says."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.files import html_text
from dynapages.files.html_text import has_html, text_of_html

MILLION = 1_000_000
PLAIN = [
    "",
    "I <3 it",
    "a < b > c",
    "a <b and c> d",
    "AT&T",
    "<MyType> of <https://shop.example>",
    "© &copy 2020 ?a=1&copy=2 &nothing;",
    "1 <2, 3> 2, <- and ->",
    "ends in the middle <p",
    "<!-- an arrow -->",
]
HOSTILE = {
    "open tags": "<p ",
    "open quotes": "<p a=\"'",
    "ends of tags": "</",
    "comments that never end": "<!--",
    "scripts that never end": "<script>",
    "styles that never end": "<style>x</style",
    "ampersands": "&a",
    "references": "&amp;",
    "blanks in a tag": " ",
    "spaces that do not break": "&nbsp;",
    "nested elements": "<div>",
    "breaks": "<br>\n ",
    "cells": "<td>x</td>",
}


class TestWhatIsHtml:
    @pytest.mark.parametrize(
        "text",
        [
            "<p>x",
            "x<br>y",
            "x<BR />y",
            "x</b>",
            '<a href="https://shop.example/?a=1&b=2">x</a>',
            "<img alt='>' src=x>",
            "<input disabled>",
            "&amp;",
            "&#39;",
            "&#x27;",
            "&Eacute;",
        ],
    )
    def test_is_a_tag_or_a_reference(self, text):
        assert has_html(f"before {text} behind")

    @pytest.mark.parametrize("text", PLAIN)
    def test_is_nothing_that_people_write_in_plain_text(self, text):
        assert not has_html(text)


class TestTheText:
    @pytest.mark.parametrize(
        ("html", "text"),
        [
            ("<p>One.</p><p>Two.</p>", "One.\n\nTwo."),
            ("<p>One\n  line</p>\n\n<p>Two</p>", "One line\n\nTwo"),
            ("<p>One<p>Two", "One\n\nTwo"),
            ("one<br>two<br />\nthree", "one\ntwo\nthree"),
            ("one<br><br><br><br>two", "one\n\ntwo"),
            ("<p>One</p><p>&nbsp;</p><p>Two</p>", "One\n\nTwo"),
            ("<div>one<div>two</div></div>three", "one\ntwo\nthree"),
            ("<p>Soft.</p><ul><li>Cotton</li><li>Wool</li></ul>", "Soft.\n\nCotton\nWool"),
            ("<h2>Title</h2>text", "Title\n\ntext"),
            ("<tr><td>1</td><td>2</td></tr><tr><td>3</td></tr>", "1 2\n3"),
            ("<pre>a\n  b</pre>", "a\n  b"),
            ("one<hr>two", "one\n\ntwo"),
        ],
    )
    def test_has_lines_and_paragraphs(self, html, text):
        assert text_of_html(html) == text

    @pytest.mark.parametrize(
        ("html", "text"),
        [
            ("<b>so <i>very</b> good</i>", "so very good"),
            ('<a href="x?a=1&amp;b=2">this</a>', "this"),
            ("good<!-- not <b>shown</b> -->!", "good!"),
            ("<style>p { color: red }</style>good<SCRIPT>if (a<b) x()</Script >!", "good!"),
            ("<!DOCTYPE html><b>good</b>", "good"),
            ("<![if !supportLists]><b>good</b><o:p></o:p>", "good"),
            ("</p>good</div></span>", "good"),
            ('<p title="never closed>good</p>', "good"),
        ],
    )
    def test_is_without_tags_and_what_they_hide(self, html, text):
        assert text_of_html(html) == text

    @pytest.mark.parametrize(
        ("html", "text"),
        [
            ("Tom &amp; Jerry&#39;s &#x263A; caf&eacute; &lt;3", "Tom & Jerry's ☺ café <3"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("&#0; &#55296; &#9999999;", "\ufffd \ufffd \ufffd"),
        ],
    )
    def test_has_the_characters_of_references_once(self, html, text):
        assert text_of_html(html) == text

    @pytest.mark.parametrize("plain", PLAIN)
    def test_keeps_what_is_no_markup(self, plain):
        if not plain.startswith("<!--"):
            assert text_of_html(f"<b>!</b>{plain}") == f"!{plain}"

    def test_keeps_the_lines_of_a_text_whose_tags_break_none(self):
        assert text_of_html("one\n\n<b>two</b>\nthree &amp; four") == "one\n\ntwo\nthree & four"

    @pytest.mark.parametrize("begun", ["<!-- ", "<script>", "<style>"])
    def test_keeps_what_is_behind_a_comment_or_script_that_never_ends(self, begun):
        assert text_of_html(f"<b>one</b> {begun}two") == f"one {begun}two"

    @given(st.text(st.sampled_from("ab <>&;\n")))
    def test_of_a_paragraph_made_of_text_is_that_text(self, text):
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        words = re.sub("[ \n]+", " ", text).strip()
        assert re.sub("[ \n]+", " ", text_of_html(f"<p>{escaped}</p>")).strip() == words


class TestWork:
    """It is linear: no part of a tag is looked for beyond the next one, no end is twice."""

    @given(st.text(st.sampled_from("<>/p!-\"' =a&;[:o")))
    def test_no_markup_goes_beyond_the_next_sign_that_begins_some(self, text):
        for found in html_text._MARKUP.finditer(text):
            assert "<" not in found[0][1:]

    @pytest.mark.parametrize("begun", ["<!--", "<script>", "<style>"])
    def test_an_end_that_is_missing_is_looked_for_once(self, monkeypatch, begun):
        name = begun.strip("<>") if begun != "<!--" else begun
        searches = Searches(html_text._END_OF[name])
        monkeypatch.setitem(html_text._END_OF, name, searches)
        assert text_of_html(begun * 1_000) == begun * 1_000
        assert searches.number == 1

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_million_characters_are_read_to_the_end(self, name):
        part = HOSTILE[name]
        hostile = part * (MILLION // len(part))
        assert text_of_html(f"<p {hostile}<b>end</b>").endswith("end")


class Searches:
    """A pattern whose searches are counted."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.number = 0

    def search(self, text: str, start: int) -> re.Match[str] | None:
        self.number += 1
        return self.pattern.search(text, start)
