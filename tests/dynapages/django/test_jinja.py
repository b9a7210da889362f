"""Templates of Jinja2 in a project of Django: where they lie, what they say, what they escape."""

import re
from pathlib import Path

import pytest
from django.template import Context, Template, defaultfilters
from django.test import override_settings
from django.utils.autoreload import file_changed
from django.utils.functional import lazystr
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, TemplateNotFound, TemplateSyntaxError, UndefinedError
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_NAMESPACE
from markupsafe import Markup

from dynapages.django import jinja
from dynapages.django.jinja import jinja_macro, render_jinja
from dynapages.django.paging import PageLinks, Toggle
from tests.support.markup import read_markup
from tests.support.own_templates import own_templates
from tests.support.project import PROJECT

OWN = "own.jinja"
JINJA2 = Environment(autoescape=True)
"""As it comes."""
SCRIPT = "<script>alert('1')</script>"
ESCAPED = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"
STARS = "{{ _('%(rating)s of 5 stars', rating=rating) }}"
FROM_ROW = "{% from 'row.jinja' import row %}"
FOUND = (
    "{{ ngettext('%(shown)s person found this helpful',"
    " '%(shown)s people found this helpful', number, shown=number) }}"
)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))
"""Texts that a parser of HTML gives back as they are."""


def rendered(source: str, **values: object) -> SafeString:
    """Render a source in a project that has no other template."""
    loaders = [("django.template.loaders.locmem.Loader", {OWN: source})]
    engine = {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {"loaders": loaders},
    }
    with override_settings(TEMPLATES=[engine]):
        return render_jinja(OWN, values)


class TestASentence:
    def test_is_in_the_language_of_the_page(self):
        assert rendered("{{ _('Clear filters') }}") == "Clear filters"
        with override("de"):
            assert rendered("{{ _('Clear filters') }}") == "Filter zurücksetzen"

    def test_is_in_each_language_of_one_process(self, tmp_path):
        with own_templates(tmp_path, {OWN: "{{ _('Clear filters') }}"}):
            shown = []
            for language in ("en", "de", "en"):
                with override(language):
                    shown.append(render_jinja(OWN, {}))
        assert shown == ["Clear filters", "Filter zurücksetzen", "Clear filters"]

    def test_is_as_it_is_written_where_no_language_is_active(self):
        with override(None):
            assert rendered("{{ _('Clear filters') }}") == "Clear filters"

    def test_has_its_values(self):
        assert rendered(STARS, rating=4) == "4 of 5 stars"
        with override("de"):
            assert rendered(STARS, rating=4) == "4 von 5 Sternen"

    def test_has_its_values_where_it_is_not_shown_at_once(self):
        source = "{% set said = _('%(rating)s of 5 stars', rating=rating) %}{{ said }}, {{ said }}"
        assert rendered(source, rating=4) == "4 of 5 stars, 4 of 5 stars"

    @pytest.mark.parametrize(
        "source",
        [
            "{{ _('By <b>%(who)s</b>', who=who) }}",
            "{% set said = _('By <b>%(who)s</b>', who=who) %}{{ said }}",
            "{{ _('By <b>%(who)s</b>', who=who) if who else '' }}",
            "{{ ngettext('By <b>%(who)s</b>', 'By', 1, who=who) }}",
        ],
    )
    def test_is_html_whose_values_are_escaped(self, source):
        assert rendered(source, who=SCRIPT) == f"By <b>{ESCAPED}</b>"

    def test_of_its_value_alone_is_escaped(self):
        assert rendered("{% set said = _('%(x)s', x=x) %}{{ said }}", x=SCRIPT) == ESCAPED

    def test_may_be_a_value_of_another_one(self):
        source = "{{ _('Filter (%(number)s)', number=_('Clear filters')) }}"
        with override("de"):
            assert rendered(source) == "Filter (Filter zurücksetzen)"

    def test_may_depend_on_a_condition(self):
        source = "{{ _('Clear filters') if all else _('none') }}"
        with override("de"):
            assert rendered(source, all=True) == "Filter zurücksetzen"

    def test_has_a_percent_sign_written_twice_where_it_has_values(self):
        assert rendered("{{ _('%(n)s%% of 100%%', n=5) }}") == "5% of 100%"
        assert rendered("{% set said = _('%(n)s%%', n=5) %}{{ said }}") == "5%"

    def test_has_a_percent_sign_written_once_where_it_has_none(self):
        assert rendered("{{ _('100% wool, %(so)s') }}") == "100% wool, %(so)s"
        assert rendered("{% set said = _('100% wool') %}{{ said }}") == "100% wool"

    @given(texts, texts)
    def test_has_any_values_where_they_belong(self, one, two):
        shown = rendered(
            "<p>{{ _('%(one)s | %(two)s | %(one)s', one=one, two=two) }}</p>", one=one, two=two
        )
        (text,) = read_markup(shown).one("p").children
        assert text == f"{one} | {two} | {one}"

    def test_with_a_context_is_another_one(self):
        source = "{{ pgettext('date', 'From') }}"
        with override("de"):
            assert rendered(source) == "Ab"

    @pytest.mark.parametrize(
        ("language", "number", "said"),
        [
            ("en", 1, "1 person found this helpful"),
            ("en", 2, "2 people found this helpful"),
            ("de", 1, "1 Person fand dies hilfreich"),
            ("de", 0, "0 Personen fanden dies hilfreich"),
        ],
    )
    def test_of_a_number_has_its_plural_form(self, language, number, said):
        with override(language):
            assert rendered(FOUND, number=number) == said

    def test_that_is_no_constant_is_refused_with_its_line(self):
        with pytest.raises(
            TemplateSyntaxError, match="texts that are written in the template"
        ) as refused:
            rendered("<p>\n{{ _(name) }}</p>", name="x")
        assert (refused.value.lineno, refused.value.name) == (2, OWN)

    def test_that_is_given_no_value_is_refused_with_its_line(self):
        with pytest.raises(TemplateSyntaxError, match="is given no who") as refused:
            rendered("<p>\n{{ _('By %(who)s', author='x') }}</p>")
        assert refused.value.lineno == 2


class TestWhatIsShown:
    def test_is_escaped_unless_it_is_safe(self):
        assert rendered("{{ a }}{{ b }}", a=SCRIPT, b=mark_safe("<b>")) == f"{ESCAPED}<b>"

    @pytest.mark.parametrize(
        ("value", "html"),
        [
            (5, "5"),
            (None, "None"),
            (Path("<a>"), "&lt;a&gt;"),
            (lazystr("<a>"), "&lt;a&gt;"),
            (Markup("<a>"), "<a>"),
            (format_html("<a>{}", "&"), "<a>&amp;"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_is_escaped_of_each_type(self, value, html):
        assert rendered("{{ value }}", value=value) == html
        assert rendered("{% macro m(x) %}{{ x }}{% endmacro %}{{ m(v) }}", v=value) == html
        assert rendered("{% set x %}{{ v }}{% endset %}{{ x }}", v=value) == html

    def test_is_safe_itself(self):
        assert hasattr(rendered("<b>"), "__html__")

    @pytest.mark.parametrize(
        "source", ["{{ nobody }}", "{{ one.nothing }}", "{% if nobody %}{% endif %}"]
    )
    def test_is_not_left_out_where_it_does_not_exist(self, source):
        with pytest.raises(UndefinedError):
            rendered(source, one="1")

    @given(texts)
    def test_may_be_quoted_for_an_address_as_djangos_filter_does(self, text):
        assert rendered("{{ text|quoted }}", text=text) == defaultfilters.urlencode(text, safe="")

    @given(texts, st.booleans())
    def test_may_be_broken_into_paragraphs_as_djangos_filter_does(self, text, is_safe):
        shown = SafeString(text) if is_safe else text
        paragraphs = defaultfilters.linebreaks_filter(shown).replace("&#x27;", "&#39;")
        assert (
            rendered("{{ text|linebreaks }}", text=shown).replace("&#x27;", "&#39;") == paragraphs
        )

    def test_is_escaped_in_paragraphs_too(self):
        assert "<script" not in rendered("{{ text|linebreaks }}", text=SCRIPT)

    def test_may_be_cut(self):
        assert rendered("{{ text|truncatechars(5) }}", text="<abcdef>") == "&lt;abc…"


class TestTheLanguage:
    @pytest.mark.parametrize(
        "source",
        [
            "{% macro m() %}<b>{{ caller() }}</b>{% endmacro %}{% call m() %}{{ x }}{% endcall %}",
            "{% macro one(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ one(*pair) }}{{ one(**named) }}",
            "{{ dict(class=x)['class'] }}{{ dict(a=x, b='&').b }}",
            "{% macro m() %}{{ varargs|join }}{{ kwargs.b }}{% endmacro %}{{ m(x, '&', b='<') }}",
            "{% for a in pair recursive %}{{ loop.cycle('<', '>') }}{{ a }}{% endfor %}",
            "{{ x ~ '<b>' }}{{ x ~ '<b>'|safe }}{{ pair|join('<') }}{{ '<%s>'|format(x) }}",
            "{% set y %}<i>{{ x }}{% endset %}{{ y }}{{ y|length }}",
            "{% filter upper %}<b>{{ x }}{% endfilter %}{{ x|e }}{{ x|forceescape }}{{ x|safe }}",
            "{% autoescape false %}{{ x }}{% endautoescape %}{{ {'a': x}|xmlattr }}{{ x|tojson }}",
            "{{ x if x == '' }}{{ x|replace('<', '&') }}{{ none }}{{ 1.5 }}",
        ],
    )
    def test_is_jinja2s(self, source):
        values = {"x": "<x>", "pair": ["<", "&"], "named": {"b": "<", "a": "&"}}
        assert rendered(source, **values) == JINJA2.from_string(source).render(values)


class TestATemplate:
    def test_of_the_project_comes_before_that_of_an_app(self, tmp_path):
        with own_templates(tmp_path, {"dynapages/pager.jinja": "Mine"}):
            assert render_jinja("dynapages/pager.jinja", {}) == "Mine"

    def test_of_an_app_is_found_where_the_project_has_none(self, tmp_path):
        with own_templates(tmp_path, {}):
            assert jinja_macro("dynapages/toggle.jinja", "toggle_link")

    def test_belongs_to_the_engine_that_is_set(self):
        assert [rendered("One"), rendered("Two"), rendered("One")] == ["One", "Two", "One"]

    def test_that_does_not_exist_is_refused(self):
        with pytest.raises(TemplateNotFound, match="nowhere"):
            render_jinja("nowhere.jinja", {})

    def test_outside_the_folders_is_not_found(self, tmp_path):
        (tmp_path / "secret.jinja").write_text("Secret")
        with own_templates(tmp_path / "templates", {OWN: ""}), pytest.raises(TemplateNotFound):
            render_jinja("../secret.jinja", {})

    def test_without_the_macro_that_is_called_is_refused_by_its_name(self, tmp_path):
        refused = pytest.raises(AttributeError, match="has no macro 'row'")
        with own_templates(tmp_path, {OWN: ""}), refused:
            jinja_macro(OWN, "row")

    def test_without_the_macro_that_is_imported_is_refused(self, tmp_path):
        sources = {OWN: FROM_ROW + "{{ row() }}", "row.jinja": ""}
        with own_templates(tmp_path, sources), pytest.raises(UndefinedError, match="row"):
            render_jinja(OWN, {})

    def test_is_read_again_once_runserver_sees_that_it_was_edited(self, tmp_path):
        sources = {
            OWN: "{% from 'list.jinja' import rows %}{{ rows() }}",
            "list.jinja": FROM_ROW + "{% macro rows() %}{{ row() }}{% endmacro %}",
            "row.jinja": "{% macro row() %}before{% endmacro %}",
        }
        with own_templates(tmp_path, sources):
            assert render_jinja(OWN, {}) == "before"
            edited = tmp_path / "row.jinja"
            edited.write_text("{% macro row() %}after{% endmacro %}")
            file_changed.send(sender=self, file_path=edited)
            assert render_jinja(OWN, {}) == "after"

    def test_that_was_edited_restarts_nothing(self, tmp_path):
        with own_templates(tmp_path, {OWN: ""}):
            answers = file_changed.send(sender=self, file_path=tmp_path / OWN)
        assert True in [answer for _receiver, answer in answers]


def toggle(**values: object) -> Toggle:
    given_values = {
        "value": "paid",
        "label": "Paid",
        "url": "/orders/",
        "pressed": False,
        "count": 3,
    }
    return Toggle(**{**given_values, **values})


class TestTheLibrarysTemplates:
    @given(texts, texts, texts)
    def test_escape_what_a_toggle_says(self, value, label, url):
        link = jinja_macro("dynapages/toggle.jinja", "toggle_link")
        shown = link(toggle(value=f"v{value}", label=label, url=url), "status", target="#orders")
        element = read_markup(shown).one("a")
        assert element["data-value"] == f"v{value}"
        assert element["href"] == element["hx-get"] == url
        assert element.one("span", class_="toggle-label").text == " ".join(label.split())

    @given(texts, texts, texts)
    def test_escape_what_a_choice_says(self, value, text, label):
        choice = jinja_macro("dynapages/list_choice.jinja", "list_choice")
        options = [(f"v{value}", text)]
        shown = choice("/", "#list", "order", label, options, chosen="", kept=[("q", value)])
        form = read_markup(shown)
        assert form.one("label").text == " ".join(label.split())
        assert form.one("option")["value"] == f"v{value}"
        assert form.one("option").text == " ".join(text.split())
        assert form.one("input", type="hidden")["value"] == value

    @given(texts, texts)
    def test_escape_what_a_pager_says(self, label, query):
        url = f"/?q={query}"
        links = {"newer_url": "", "older_url": url, "first_url": "", "last_url": None}
        labels = {"newer_label": "", "older_label": f"More {label}"}
        shown = render_jinja(
            "dynapages/pager.jinja", {**links, **labels, "target": "#l", "anchor": ""}
        )
        link = read_markup(shown).one("a")
        assert link["href"] == link["hx-get"] == url
        assert link.text == " ".join(f"More {label} →".split())

    def test_are_in_the_language_of_the_page(self):
        link = jinja_macro("dynapages/toggle.jinja", "toggle_link")
        assert ">none<" in link(toggle(count=0), "status", target="#orders")
        with override("de"):
            german = jinja_macro("dynapages/toggle.jinja", "toggle_link")
            assert ">keine<" in german(toggle(count=0), "status", target="#orders")


class TestAProjectsOwnTemplates:
    """Shown by the tags of the library, in pages of Django's templates."""

    def test_are_the_pager(self, tmp_path):
        pager = "{{ newer_url }} {{ older_label or 'More' }}"
        links = PageLinks(None, "/?before=x", first_url="/", last_url=None, is_first=False)
        with own_templates(tmp_path, {"dynapages/pager.jinja": pager}):
            assert shown("{% pager links %}", links=links) == "/?before=x More"

    def test_are_a_toggle(self, tmp_path):
        macro = "toggle_link(toggle, kind, target)"
        source = "{% macro " + macro + " %}{{ kind }}: {{ toggle.label }}{% endmacro %}"
        tag = "{% call_macro 'dynapages/toggle.jinja' 'toggle_link' toggle 'status' target='#l' %}"
        with own_templates(tmp_path, {"dynapages/toggle.jinja": source}):
            assert shown(tag, toggle=toggle(label="<Paid>")) == "status: &lt;Paid&gt;"

    def test_are_imported_by_those_of_an_app(self, tmp_path):
        arguments = "url, target, name, label, options, chosen, order=None, kept=()"
        source = "{% macro list_choice(" + arguments + ") %}Mine at {{ url }}{% endmacro %}"
        listing = {"url": "/list/", "orders": [], "order": None, "months": []}
        with own_templates(tmp_path, {"dynapages/list_choice.jinja": source}):
            page = render_jinja("comments/lists/_choices.jinja", {"listing": listing, "kept": ()})
        assert page.strip() == "Mine at /list/"

    def test_are_included_with_the_values_that_are_given_alone(self, tmp_path):
        with own_templates(tmp_path, {OWN: "{{ name }}{{ other is defined }}"}):
            tag = "{% include_jinja 'own.jinja' name=title %}"
            assert shown(tag, title="<A>", other="B") == "&lt;A&gt;False"


def shown(tags: str, **values: object) -> str:
    """Render a template of Django with the library's tags."""
    return Template("{% load dynapages %}" + tags).render(Context(values))


def test_the_documentation_has_what_a_template_can_call():
    document = (PROJECT / "dynapages/docs/django.md").read_text()
    chapter = document.partition("## Templates of Jinja2")[2]
    environment = jinja.jinja_template("dynapages/pager.jinja").environment
    own = {*environment.globals, *environment.filters, *jinja._CONSTANTS}
    own -= {*DEFAULT_NAMESPACE, *DEFAULT_FILTERS}
    in_table = set(re.findall(r"`(\w+)(?:\(.*?\))?`", chapter))
    assert own - in_table == set()
