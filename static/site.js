"use strict";

// What htmx leaves to the page: telling what changed, keeping the keyboard's place, and network failures.
(() => {
  const UNREACHABLE = "The shop cannot be reached. What is on screen has not changed; check the connection and try again.";
  const TOO_SLOW = "The shop did not answer in time. What is on screen has not changed; please try again.";
  const UNREADABLE = "Something between you and the shop failed. What is on screen has not changed; please try again.";

  const unfolded = new Set();

  const byId = (id) => document.getElementById(id);
  const notify = (sentence, { said = false } = {}) => {
    byId("notice").classList.toggle("notice-said", said);
    byId("notice").replaceChildren(sentence);
  };
  const focusLost = () => document.activeElement === null || document.activeElement === document.body;

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

  // Boxes are ticked one by one without this script; with it, also all at once.
  function offerSelectAll() {
    document.querySelectorAll(".select-all[hidden]").forEach((label) => (label.hidden = false));
  }

  function welcomeList(list) {
    offerSelectAll();
    const heading = list.querySelector("#list-heading");
    if (list.dataset.title) document.title = list.dataset.title;
    for (const details of list.querySelectorAll("details[id]")) details.open = unfolded.has(details.id);
    if (focusLost()) {
      // A page link is gone with its page: reading goes on from the heading, which a screen reader then says.
      heading.focus({ preventScroll: true });
    } else {
      announce(list.dataset.announce);
    }
    showFromItsTop(heading);
  }

  // How much of a text fits is counted as the shop counts it: a line's end is one character.
  function count(field) {
    const longest = Number(field.dataset.longest);
    const length = [...field.value].length;
    const help = document.querySelector(`[data-count-of="${field.id}"]`);
    const number = (n) => n.toLocaleString("en");
    help.textContent = length > longest
      ? `${number(length)} characters: ${number(length - longest)} too many.`
      : `${number(length)} of ${number(longest)} characters.`;
    help.classList.toggle("too-long", length > longest);
  }

  function welcomeForm(form) {
    const wrong = form.querySelector(".form-error") ?? form.querySelector("[aria-invalid]");
    if (wrong !== null) {
      wrong.focus();
    } else if (focusLost()) {
      form.querySelector("input:not([type=hidden]), textarea")?.focus();
    }
  }

  document.addEventListener("input", ({ target }) => {
    if (target.dataset.longest) count(target);
  });

  // What a redirect would have said on the next page: see dynamo/web/partials.py.
  document.addEventListener("said", ({ detail }) => notify(detail.sentences.join(" "), { said: true }));

  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    detail.target.setAttribute("aria-busy", "true");
  });

  document.addEventListener("htmx:afterRequest", () => {
    document.querySelectorAll("[aria-busy]").forEach((element) => element.removeAttribute("aria-busy"));
  });

  // Before the swap, because what the answer itself says is said right after it.
  function takeAwayWhatWasSaid({ requestConfig, xhr }) {
    if (xhr.status >= 400) byId("notice").classList.remove("notice-said");
    // What came by itself says nothing about what the visitor was told.
    if (requestConfig.elt.matches("[data-unasked]")) return;
    // A refusal that goes elsewhere, into its form, has nothing to do with what is still said here.
    const elsewhere = (xhr.getResponseHeader("HX-Retarget") ?? "#notice") !== "#notice";
    if (xhr.status < 400 || elsewhere) byId("notice").replaceChildren();
  }

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    unfolded.clear();
    document.querySelectorAll("details[id][open]").forEach(({ id }) => unfolded.add(id));
    takeAwayWhatWasSaid(detail);
    // A failure that the shop did not word itself, such as a proxy's page.
    if (detail.xhr.status >= 400 && !detail.xhr.getResponseHeader("HX-Retarget")) {
      detail.shouldSwap = false;
      notify(UNREADABLE);
    }
  });

  document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
    if (detail.xhr.status < 400) return;
    detail.history.type = "replace"; // the list on screen stays, so does its address
    detail.history.path = location.pathname + location.search;
  });

  document.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target.matches("[data-list]")) {
      welcomeList(target);
    } else if (target.matches("[data-form]")) {
      welcomeForm(target);
    } else if (target.matches(".reported")) {
      target.focus();
    } else if (target.matches(".comment-text")) {
      target.querySelector(".comment-body")?.focus({ preventScroll: true });
    }
  });

  document.addEventListener("htmx:sendError", () => notify(UNREACHABLE));
  document.addEventListener("htmx:timeout", () => notify(TOO_SLOW));

  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-dismiss]")) byId("notice").replaceChildren();
  });

  document.addEventListener("change", ({ target }) => {
    const name = target.dataset.selectAll;
    if (!name) return;
    document.querySelectorAll(`input[name="${name}"]`).forEach((box) => (box.checked = target.checked));
  });

  // A link that says it is a button answers to the space bar as well.
  document.addEventListener("keydown", (event) => {
    const button = event.key === " " && event.target.closest("a[role=button]");
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  offerSelectAll();
})();
