"use strict";

// The toggles of a filtered list: each click shows at once and counts, however soon the next one comes.
(() => {
  const ANY = "[data-value='~']";

  const pressed = (toggle) => toggle.getAttribute("aria-pressed") === "true";

  function press(toggle, isPressed) {
    toggle.dataset.was ??= toggle.getAttribute("aria-pressed");
    toggle.setAttribute("aria-pressed", String(isPressed));
  }

  // As the server does it: nothing chosen is any, and in a group with data-all-is-any so is all.
  function flip(toggle) {
    const group = toggle.closest("[role=group]");
    const any = group.querySelector(ANY);
    const values = [...group.querySelectorAll("[data-toggle]")].filter((each) => each !== any);
    if (toggle === any) values.forEach((each) => press(each, false));
    else press(toggle, !pressed(toggle));
    const chosen = values.filter(pressed).length;
    const allIsAny = "allIsAny" in group.dataset;
    const isAny = chosen === 0 || (allIsAny && chosen === values.length);
    if (isAny && allIsAny) values.forEach((each) => press(each, true));
    press(any, isAny);
  }

  // {kind} in data-address stands for the pressed values, such as 1.2.5 or ~; {kind=} for kind=1&kind=2.
  function addressOf(list) {
    const spell = (_, kind, isQuery) => {
      const toggles = [...list.querySelectorAll(`[data-toggle="${kind}"]`)];
      const any = toggles[0]?.closest("[role=group]").querySelector(ANY);
      const values = any && !pressed(any) ? toggles.filter(pressed).map((toggle) => toggle.dataset.value) : [];
      return isQuery ? values.map((value) => `${kind}=${value}`).join("&") : values.sort().join(".") || "~";
    };
    return list.dataset.address.replace(/\{(\w+)(=?)\}/g, spell).replace("?&", "?").replace(/\?$/, "");
  }

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const { elt, target } = detail;
    const isBusy = target.matches(".htmx-request"); // then site.js stops this request
    if (!elt.matches("[data-toggle]") || !target.dataset.address || isBusy) return;
    if (!elt.matches(ANY) && !target.dataset.address.includes(`{${elt.dataset.toggle}`)) return; // a plain link
    flip(elt);
    detail.path = addressOf(target);
  });

  // The list on screen stays, and the toggles say again what it shows.
  function takeBack({ detail }) {
    if (!detail.requestConfig.target.matches("[data-list]")) return;
    document.querySelectorAll("[data-was]").forEach((toggle) => {
      toggle.setAttribute("aria-pressed", toggle.dataset.was);
      delete toggle.dataset.was;
    });
  }

  for (const failure of ["sendError", "timeout", "responseError"]) {
    document.addEventListener(`htmx:${failure}`, takeBack);
  }

  // An answer may replace the toggle while the mouse button is down on it: no click follows then.
  let held = null;

  document.addEventListener("mousedown", ({ target }) => (held = target.closest("[data-toggle]")));

  document.addEventListener("mouseup", ({ button, ctrlKey, metaKey, shiftKey, target }) => {
    const toggle = target.closest("[data-toggle]");
    const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey;
    if (isPlain && held?.isConnected === false && toggle?.id === held.id) toggle.click();
  });

  // The toggle stays where the finger is, though the browser scrolls with what it had on screen.
  let top = 0;

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    top = detail.requestConfig.elt.getBoundingClientRect().top;
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const { elt } = detail.requestConfig;
    const toggle = elt.matches("[data-toggle]") && document.getElementById(elt.id);
    if (toggle) window.scrollBy(0, toggle.getBoundingClientRect().top - top);
  });
})();
