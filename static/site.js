"use strict";

// What htmx leaves to the page: telling what changed, keeping the keyboard's place, and network failures.
(() => {
  const UNREACHABLE = "The shop cannot be reached. What is on screen has not changed; check the connection and try again.";
  const TOO_SLOW = "The shop did not answer in time. What is on screen has not changed; please try again.";
  const UNREADABLE = "Something between you and the shop failed. What is on screen has not changed; please try again.";

  const unfolded = new Set();

  const byId = (id) => document.getElementById(id);
  const notify = (sentence, { said = false } = {}) => {
    const told = document.createElement("p");
    const dismiss = document.createElement("button");
    told.append(sentence);
    dismiss.append("Dismiss");
    dismiss.type = "button";
    dismiss.className = "notice-dismiss";
    dismiss.dataset.dismiss = "";
    byId("notice").classList.toggle("notice-said", said);
    byId("notice").replaceChildren(told, dismiss);
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

  // What a redirect would have said on the next page (see dynamo/web/partials.py), or another script says.
  document.addEventListener("said", ({ detail }) => {
    notify(detail.sentences.join(" "), { said: !detail.isWarning });
  });

  // What came by itself says nothing about what the visitor was told, nor moves the focus.
  const isUnasked = ({ requestConfig }) => requestConfig.elt.matches("[data-unasked]");

  const pressed = new WeakMap();

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { target, xhr } = event.detail;
    // An answer would have no place any more once the one that is under way has replaced the list.
    if (target.matches("[data-list].htmx-request")) {
      event.preventDefault();
      return;
    }
    target.setAttribute("aria-busy", "true");
    if (!isUnasked(event.detail)) pressed.set(xhr, document.activeElement);
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    document.querySelectorAll("[aria-busy]").forEach((element) => element.removeAttribute("aria-busy"));
    // A button that was disabled meanwhile has lost the focus.
    const button = pressed.get(detail.xhr);
    if (button?.isConnected && focusLost()) button.focus({ preventScroll: true });
  });

  // Before the swap, because what the answer itself says is said right after it.
  function takeAwayWhatWasSaid(xhr) {
    if (xhr.status >= 400) byId("notice").classList.remove("notice-said");
    // A refusal that goes elsewhere, into its form, has nothing to do with what is still said here.
    const elsewhere = (xhr.getResponseHeader("HX-Retarget") ?? "#notice") !== "#notice";
    if (xhr.status < 400 || elsewhere) byId("notice").replaceChildren();
  }

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { xhr } = detail;
    unfolded.clear();
    document.querySelectorAll("details[id][open]").forEach(({ id }) => unfolded.add(id));
    if (isUnasked(detail)) {
      if (xhr.status >= 400) detail.shouldSwap = false; // nobody asked, so nobody is told
      return;
    }
    takeAwayWhatWasSaid(xhr);
    // A failure that the shop did not word itself, such as a proxy's page.
    if (xhr.status >= 400 && !xhr.getResponseHeader("HX-Retarget")) {
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
    const form = target.matches("[data-form]") ? target : target.querySelector(":scope > [data-form]");
    if (target.matches("[data-list]")) {
      welcomeList(target);
    } else if (form !== null) {
      welcomeForm(form);
    } else if (target.matches(".reported")) {
      target.focus();
    } else if (target.matches(".comment-text")) {
      target.querySelector(".comment-body")?.focus({ preventScroll: true });
    }
  });

  document.addEventListener("htmx:sendError", ({ detail }) => isUnasked(detail) || notify(UNREACHABLE));
  document.addEventListener("htmx:timeout", ({ detail }) => isUnasked(detail) || notify(TOO_SLOW));

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-dismiss]")) return;
    byId("notice").replaceChildren();
    byId("main").focus({ preventScroll: true });
  });

  // With a modifier key a link opens a tab or a window, as links do: htmx must not hear of it.
  document.addEventListener(
    "click",
    (event) => {
      const { ctrlKey, metaKey, shiftKey, target } = event;
      const opensElsewhere = ctrlKey || metaKey || shiftKey;
      if (opensElsewhere && target.closest("a[hx-get], a[hx-post]")) event.stopPropagation();
    },
    { capture: true },
  );

  // A page that the browser kept while its request led elsewhere still waits for the answer.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted && document.querySelector(".htmx-request")) location.reload();
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
    if (!event.repeat) button.click(); // held down, it is pressed once
  });

  offerSelectAll();
})();
