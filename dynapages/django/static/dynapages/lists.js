"use strict";

// What htmx does not do: announce changes, keep the keyboard focus, and report network failures.
(() => {
  if (document.getElementById("notice") === null) return; // a page that has nothing to do with lists

  const byId = (id) => document.getElementById(id);
  const inWords = (name) => byId("notice").dataset[name];
  const notify = (sentence, { said = false, link, undo } = {}) => {
    const told = document.createElement("p");
    const dismiss = document.createElement("button");
    told.append(sentence);
    if (link) told.append(" ", Object.assign(document.createElement("a"), { href: link.url, textContent: link.label }));
    dismiss.append(inWords("dismissLabel"));
    dismiss.type = "button";
    dismiss.className = "notice-dismiss";
    dismiss.dataset.dismiss = "";
    byId("notice").classList.toggle("notice-said", said);
    byId("notice").replaceChildren(told, ...(undo ? [undoForm(undo)] : []), dismiss);
    if (said) letGo(byId("notice"), told);
  };

  // The button that takes back what was done, as it stands in the messages of a page.
  function undoForm({ url, text, token, label }) {
    const form = Object.assign(document.createElement("form"), { method: "post", action: url });
    for (const [name, value] of [["csrfmiddlewaretoken", token], ["undo", text]]) {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    const button = { type: "submit", className: "button button-small", textContent: label };
    form.append(Object.assign(document.createElement("button"), button));
    return form;
  }
  const focusLost = () => document.activeElement === null || document.activeElement === document.body;

  // What needs no answer leaves after a while, though not while somebody points at it or is in it.
  function letGo(region, told) {
    window.setTimeout(() => {
      if (document.hidden || region.matches(":hover, :focus-within")) letGo(region, told);
      else if (told.isConnected) region.replaceChildren();
    }, 10000);
  }

  function announce(sentence) {
    const region = byId("announcement");
    region.textContent = "";
    window.setTimeout(() => (region.textContent = sentence), 50);
  }

  function showFromItsTop(heading) {
    if (heading.getBoundingClientRect().top < 0) {
      heading.scrollIntoView({ block: "start" });
    }
  }

  // In the attribute dates are UTC; with this script people read them in their own time zone.
  function tellLocalTimes() {
    const { lang } = document.documentElement;
    const day = { day: "numeric", month: "short", year: "numeric" };
    for (const time of document.querySelectorAll(".dynapages time[datetime*=T]")) {
      const moment = new Date(time.dateTime);
      if (moment.getTimezoneOffset() === 0) continue;
      const hour = time.textContent.includes(":") && { hour: "2-digit", minute: "2-digit" };
      time.textContent = moment.toLocaleString(lang === "en" ? "en-GB" : lang, { ...day, ...hour });
    }
    const note = document.querySelector("[data-local-times]");
    if (note !== null && new Date().getTimezoneOffset() !== 0) note.textContent = note.dataset.localTimes;
  }

  // The row of a list in which something was pressed: its id, and its place.
  let left = null;
  const rowsOf = (list) => [...list.querySelectorAll("article[id]")];

  function rowLeft(pressed) {
    const row = pressed.closest("[data-list] article[id]");
    return row && { id: row.id, place: rowsOf(row.closest("[data-list]")).indexOf(row) };
  }

  function rowAfter(list) {
    const rows = left ? rowsOf(list) : [];
    return rows.find(({ id }) => id === left.id) ?? rows[left?.place] ?? rows.at(-1);
  }

  // What the base of a project says before and after the title of the list.
  const { title: firstTitle } = document.querySelector("[data-list]")?.dataset ?? {};
  const split = firstTitle ? document.title.split(firstTitle) : [];
  const aroundTitle = split.length === 2 ? split : ["", ""];

  function afterListSwap(list, anchor) {
    const heading = list.querySelector("#list-heading");
    if (list.dataset.title) document.title = aroundTitle.join(list.dataset.title);
    const row = (anchor && byId(anchor)) || (focusLost() && rowAfter(list));
    announce(list.dataset.announce);
    if (row) {
      row.focus();
      return;
    }
    // The swap removed the focused link: continue at the heading.
    if (focusLost()) heading.focus({ preventScroll: true });
    showFromItsTop(heading);
  }

  // A page that reads on by itself says in the end how much it has.
  function afterReadingOn() {
    const list = document.querySelector("[data-list]");
    const said = [...list.querySelectorAll("#extent, .empty-title")].map(({ textContent }) => textContent.trim());
    if (list.querySelector(".reads-on") === null) announce(said.filter(Boolean).join(". "));
  }

  function afterFormSwap(form) {
    const wrong = form.querySelector(".form-error") ?? form.querySelector("[aria-invalid]");
    if (wrong !== null) {
      wrong.focus();
    } else if (focusLost()) {
      form.querySelector("input:not([type=hidden]), textarea, a")?.focus();
    }
  }

  // Messages that a redirect would have shown on the next page (see dynapages/django/paging.py), or of another script.
  document.addEventListener("said", ({ detail }) => {
    const { sentences, isWarning, link, undo } = detail;
    notify(sentences.join(" "), { said: !isWarning, link, undo });
  });

  // Requests that the visitor did not make (data-unasked) leave the notice and the focus alone.
  const isUnasked = ({ requestConfig }) => requestConfig.elt.matches("[data-unasked]");

  const pressed = new WeakMap();

  // How a list was read is asked for with it as long as it is unfolded.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.target.querySelector("#explanation[open]")) detail.headers["Dynapages-Explained"] = "true";
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { target, xhr } = event.detail;
    // The running request will replace the list, and with it the target of this one.
    if (target.matches("[data-list].htmx-request")) {
      event.preventDefault();
      return;
    }
    target.setAttribute("aria-busy", "true");
    if (isUnasked(event.detail)) return;
    pressed.set(xhr, document.activeElement);
    left = rowLeft(event.detail.elt);
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    detail.requestConfig.target.removeAttribute("aria-busy");
    // A button that was disabled during the request has lost the focus.
    const button = pressed.get(detail.xhr);
    if (button?.isConnected && focusLost()) button.focus({ preventScroll: true });
    if (detail.successful && detail.requestConfig.elt.matches(".reads-on")) afterReadingOn();
  });

  // Before the swap, because the answer's own message is shown right after it.
  function clearNotice(xhr) {
    if (xhr.status >= 400) byId("notice").classList.remove("notice-said");
    // An error that is shown elsewhere, in its form, does not concern the notice.
    const elsewhere = (xhr.getResponseHeader("HX-Retarget") ?? "#notice") !== "#notice";
    if (xhr.status < 400 || elsewhere) byId("notice").replaceChildren();
  }

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { xhr } = detail;
    // What was unfolded comes unfolded: htmx gives the focus back to what is in it.
    for (const { id } of document.querySelectorAll("details[id][open]")) {
      detail.serverResponse = detail.serverResponse.replace(` id="${id}"`, "$& open");
    }
    if (isUnasked(detail)) {
      if (xhr.status >= 400) detail.shouldSwap = false; // the visitor did not make this request
      return;
    }
    clearNotice(xhr);
    // An error page that is not the site's own, such as a proxy's.
    if (xhr.status >= 400 && !xhr.getResponseHeader("HX-Retarget")) {
      detail.shouldSwap = false;
      notify(inWords("unreadable"));
    }
  });

  document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
    if (detail.xhr.status < 400) return;
    detail.history.type = "replace"; // the list on screen stays, and so does its URL
    detail.history.path = location.pathname + location.search;
  });

  document.addEventListener("htmx:afterSwap", ({ detail, target }) => {
    tellLocalTimes();
    // A field that stays in the list while it is typed into; some browsers move it without the focus.
    const asking = pressed.get(detail.xhr);
    if (asking === detail.requestConfig.elt && asking.isConnected && focusLost()) asking.focus();
    const form = target.matches("[data-form]") ? target : target.querySelector(":scope > [data-form]");
    if (target.matches("[data-list]")) {
      afterListSwap(target, detail.pathInfo.anchor);
    } else if (form !== null) {
      afterFormSwap(form);
    } else if (target.matches(".reported")) {
      target.focus();
    } else if (target.matches(".comment-text")) {
      target.querySelector(".comment-body")?.focus({ preventScroll: true });
    }
  });

  document.addEventListener("htmx:sendError", ({ detail }) => isUnasked(detail) || notify(inWords("unreachable")));
  document.addEventListener("htmx:timeout", ({ detail }) => isUnasked(detail) || notify(inWords("tooSlow")));

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-dismiss]")) return;
    byId("notice").replaceChildren();
    (document.querySelector(".dynapages-page") ?? byId("main")).focus({ preventScroll: true });
  });

  // With a modifier key a link opens a tab or a window: htmx must not handle the click.
  document.addEventListener(
    "click",
    (event) => {
      const { ctrlKey, metaKey, shiftKey, target } = event;
      const opensElsewhere = ctrlKey || metaKey || shiftKey;
      if (opensElsewhere && target.closest("a[hx-get], a[hx-post]")) event.stopPropagation();
    },
    { capture: true },
  );

  // Back or forward before htmx listened: the address has changed, but the page is still the one that was loaded.
  function followAddress() {
    const [loaded] = performance.getEntriesByType("navigation");
    if (!history.state?.htmx || !loaded?.name.startsWith(location.origin)) return;
    const withoutAnchor = (address) => address.split("#")[0];
    if (withoutAnchor(loaded.name) !== withoutAnchor(location.href)) location.reload();
  }
  // By the end of this event htmx listens, too.
  document.addEventListener("DOMContentLoaded", followAddress);

  // A page restored from the back/forward cache may still wait for the answer of its request.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted && document.querySelector(".htmx-request")) location.reload();
  });

  document.addEventListener("change", ({ target }) => {
    const name = target.dataset.selectAll;
    if (!name) return;
    document.querySelectorAll(`input[name="${name}"]`).forEach((box) => (box.checked = target.checked));
  });

  // A link with role=button also reacts to the space bar.
  document.addEventListener("keydown", (event) => {
    const button = event.key === " " && event.target.closest("a[role=button]");
    if (!button) return;
    event.preventDefault();
    if (!event.repeat) button.click(); // pressed once, even if the key is held down
  });

  // j and k move from row to row of a list with data-keys, Enter presses the first button of a row.
  document.addEventListener("keydown", ({ altKey, ctrlKey, key, metaKey, repeat, target }) => {
    const list = document.querySelector("[data-list][data-keys]");
    if (!list || altKey || ctrlKey || metaKey) return;
    if (target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    const rows = rowsOf(list);
    const here = rows.indexOf(target.closest("article[id]"));
    if (key === "j") rows[here + 1]?.focus();
    else if (key === "k") rows[here - 1]?.focus();
    else if (key === "Enter" && !repeat && target === rows[here]) target.querySelector("[data-primary]")?.click();
  });

  tellLocalTimes();
  const done = document.querySelector(".messages:not(:has(.error, .warning))");
  if (done) letGo(done, done);
})();
