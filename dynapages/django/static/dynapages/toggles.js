"use strict";

// The toggles of a filtered list: each click shows at once and counts, however soon the next one comes.
(() => {
  const ANY = "[data-value='~']";
  const REMEMBER = "remember"; // the choice of languages, on other products' pages too

  const pressed = (toggle) => toggle.getAttribute("aria-pressed") === "true";

  function press(toggle, isPressed) {
    toggle.dataset.was ??= toggle.getAttribute("aria-pressed");
    toggle.setAttribute("aria-pressed", String(isPressed));
  }

  // As the server does it: nothing chosen is any, and in a group with data-all-is-any so is all of it.
  function flip(toggle) {
    const group = toggle.closest("[role=group]");
    const any = group.querySelector(ANY);
    const values = [...group.querySelectorAll("[data-toggle]")].filter((each) => each !== any);
    if (toggle !== any) press(toggle, !pressed(toggle));
    const { length } = values.filter(pressed);
    const isAny = toggle === any || length === 0 || ("allIsAny" in group.dataset && length === values.length);
    if (isAny) values.forEach((each) => press(each, false));
    press(any, isAny);
  }

  // {kind} in data-address stands for the pressed values, such as 1.2.5 or ~; {kind=} for kind=1&kind=2.
  function addressOf(list) {
    const spell = (_, kind, isQuery) => {
      const toggles = [...list.querySelectorAll(`[data-toggle="${kind}"]`)];
      const values = toggles.filter(pressed).map((toggle) => toggle.dataset.value);
      return isQuery ? values.map((value) => `${kind}=${value}`).join("&") : values.sort().join(".") || "~";
    };
    return list.dataset.address.replace(/\{(\w+)(=?)\}/g, spell).replace("?&", "?").replace(/\?$/, "");
  }

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const { elt, target } = detail;
    const isBusy = target.matches(".htmx-request"); // then site.js stops this request
    const { frees, toggle } = elt.dataset; // a chip frees toggles, those of its selector
    if (!(frees || toggle) || !target.dataset.address || isBusy) return;
    if (toggle && !elt.matches(ANY) && !target.dataset.address.includes(`{${toggle}`)) return; // a plain link
    if (toggle) flip(elt);
    else [...target.querySelectorAll(frees)].filter((each) => pressed(each) && !each.matches(ANY)).forEach(flip);
    detail.path = addressOf(target);
    const { searchParams } = new URL(elt.href);
    if (searchParams.has(REMEMBER)) detail.parameters[REMEMBER] = searchParams.get(REMEMBER);
  });

  // The list on screen stays, and toggles and choices say again what it shows.
  function takeBack({ detail }) {
    const { elt, target } = detail.requestConfig;
    if (!target.matches("[data-list]")) return;
    if (elt.matches(".list-choice")) elt.reset();
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
  let scrolled = 0;

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { elt } = detail.requestConfig;
    top = elt.getBoundingClientRect().top;
    scrolled = elt.closest(".filters")?.scrollTop;
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const { elt } = detail.requestConfig;
    const toggle = elt.matches("[data-toggle]") && document.getElementById(elt.id);
    if (!toggle) return;
    if (scrolled) toggle.closest(".filters").scrollTop = scrolled;
    window.scrollBy(0, toggle.getBoundingClientRect().top - top);
  });
})();
