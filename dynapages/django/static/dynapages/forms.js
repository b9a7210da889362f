"use strict";

// What is typed into forms: counted, locked while it is on its way, and sent from pages without a token.
(() => {
  if (document.getElementById("notice") === null) return; // a page with forms of its own

  const LONGEST_WAIT = 15000; // milliseconds, as long as htmx waits
  const TYPED_INTO = "textarea, input:not([type=hidden], [type=checkbox], [type=radio])";

  const unlocking = new WeakMap();

  // What is typed after a form was sent would be in no answer. Fields stay as they are until it is
  // there: those with text keep the focus and the caret, and can still be read and copied.
  function lock(form) {
    unlock(form);
    const texts = [...form.elements].filter((field) => field.matches(TYPED_INTO) && !field.readOnly);
    const selects = form.querySelectorAll("select");
    texts.forEach((field) => (field.readOnly = true));
    selects.forEach((field) => (field.inert = true));
    form.setAttribute("aria-busy", "true");
    unlocking.set(form, () => {
      texts.forEach((field) => (field.readOnly = false));
      selects.forEach((field) => (field.inert = false));
      form.removeAttribute("aria-busy");
    });
  }

  function unlock(form) {
    unlocking.get(form)?.();
    unlocking.delete(form);
  }

  // Boxes know neither readonly nor, once they have a label, inert.
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target.matches("[type=checkbox], [type=radio]") && unlocking.has(target.form)) event.preventDefault();
  });

  // The form that a request of htmx sends, unless it asks about a field by itself (data-unasked),
  // or shows another list: nothing is typed there, and a field that is locked loses the focus. The
  // field of a search stays open: what is typed meanwhile is sent next.
  function sentBy({ requestConfig: { elt } }) {
    if (elt.matches("[data-unasked], .list-choice, .list-search, .list-search > input")) return null;
    return elt.matches("form") ? elt : (elt.form ?? null);
  }

  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    const form = sentBy(detail);
    if (form) lock(form);
  });

  // Before lists.js gives the focus back to what had it: an inert field would not take it.
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const form = sentBy(detail);
    if (form) unlock(form);
  });

  // A form that loads a page. There is no event if its visitor stops that, hence the time.
  document.addEventListener("submit", ({ defaultPrevented, target }) => {
    if (defaultPrevented) return;
    lock(target);
    window.setTimeout(() => unlock(target), LONGEST_WAIT);
  });

  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) document.querySelectorAll("form").forEach(unlock);
  });

  // The page of a visitor may come from a cache, and has no token for its forms.
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.dataset.tokenUrl) return;
    event.preventDefault();
    try {
      const answer = await fetch(form.dataset.tokenUrl, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const token = document.createElement("input");
      Object.assign(token, { type: "hidden", name: "csrfmiddlewaretoken", value: await answer.text() });
      form.append(token);
      form.method = "post";
      form.submit();
    } catch {
      unlock(form);
      const { unreachable } = document.getElementById("notice").dataset;
      document.dispatchEvent(new CustomEvent("said", { detail: { sentences: [unreachable], isWarning: true } }));
    }
  });

  // Enter begins a line in a text: with Ctrl, or the Mac's command key, it sends the form.
  document.addEventListener("keydown", (event) => {
    const { ctrlKey, isComposing, key, metaKey, target } = event;
    if (key !== "Enter" || isComposing || !(ctrlKey || metaKey) || !target.matches("textarea")) return;
    event.preventDefault();
    target.form?.requestSubmit();
  });

  // Characters are counted as the server counts them: a line break is one.
  function count(field) {
    const longest = Number(field.dataset.longest);
    const length = [...field.value].length;
    const help = document.querySelector(`[data-count-of="${field.id}"]`);
    const { fits, tooMany } = help.dataset;
    const numbers = { length, longest, over: length - longest };
    help.textContent = (length > longest ? tooMany : fits)
      .replace(/\{(\w+)\}/g, (_, name) => numbers[name].toLocaleString(document.documentElement.lang));
    help.classList.toggle("too-long", length > longest);
  }

  document.addEventListener("input", ({ target }) => {
    if (target.dataset.longest) count(target);
  });
})();
