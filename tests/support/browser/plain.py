"""A browser without JavaScript: follows the links of a page and sends its forms."""

from typing import Any
from urllib.parse import urlencode, urljoin

from django.test import Client

from tests.support.markup import Element, read_markup


class PlainBrowser:
    """Sees what the HTML alone offers. Forms need their CSRF token, as they do on the site."""

    def __init__(self, cookies: dict[str, str] | None = None) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.client.cookies.load(cookies or {})
        self.url = "/"
        self.page = Element("", {})

    @classmethod
    def of(cls, signed_in: Client) -> "PlainBrowser":
        """Take over the session of a client."""
        return cls({name: morsel.value for name, morsel in signed_in.cookies.items()})

    @property
    def messages(self) -> list[str]:
        return [element.text for element in self.page.all(class_="message-text")]

    def goto(self, url: str) -> None:
        self._show(self.client.get(urljoin(self.url, url), follow=True), url)

    def click(self, link: str) -> None:
        """Follow the only link whose text begins like this."""
        (found,) = (a for a in self.page.all("a") if a.text.startswith(link))
        self.goto(found["href"])

    def press(self, name: str, *, within: Element | None = None, **typed: Any) -> None:
        """Fill in fields and press the first button whose text begins like this."""
        form, button = self._form_of(name, within or self.page)
        fields = self._fields(form) | typed
        if button.get("name"):
            fields[button["name"]] = button.get("value") or ""
        target = button.get("formaction") or form.get("action") or self.url
        action = urljoin(self.url, target)
        if form.get("method") == "post":
            self._show(self.client.post(action, fields, follow=True), action)
        else:
            self.goto(f"{action.partition('?')[0]}?{urlencode(fields, doseq=True)}")

    def _show(self, response: Any, url: str) -> None:
        assert response.status_code == 200, (url, response.status_code)
        hops = getattr(response, "redirect_chain", [])
        self.url = urljoin(self.url, hops[-1][0] if hops else url)
        self.page = read_markup(response.content.decode())

    @staticmethod
    def _form_of(name: str, part: Element) -> tuple[Element, Element]:
        by_id = {form["id"]: form for form in part.all("form") if form.get("id")}
        inside = [(form, button) for form in part.all("form") for button in form.all("button")]
        outside = [(by_id[b["form"]], b) for b in part.all("button") if b.get("form") in by_id]
        for form, button in inside + outside:
            if button.text.startswith(name) and button.get("type") != "button":
                return form, button
        raise AssertionError(f"no form has the button {name!r}")

    def _fields(self, form: Element) -> dict[str, Any]:
        """What the form sends when nobody touches it."""
        fields: dict[str, Any] = {}
        for control in (*form.all("input"), *form.all("select"), *form.all("textarea")):
            if name := control.get("name"):
                value = _value(control)
                if value is not None:
                    fields[name] = value
        return fields


def _value(control: Element) -> str | None:
    if control.tag == "textarea":
        return control.text
    if control.tag == "select":
        options = control.all("option")
        chosen = [option for option in options if option.get("selected") is not None]
        return (chosen or options)[0].get("value")
    if control.get("type") in {"radio", "checkbox"} and control.get("checked") is None:
        return None
    return control.get("value") or ""
