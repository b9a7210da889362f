"use strict";

// The search field: "/" leads to it; suggestions are chosen by the arrow keys, left by Escape.
(() => {
  const field = document.getElementById("product-search");
  if (field === null) return;

  const isTyping = ({ isContentEditable, tagName }) =>
    isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);

  document.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, isComposing, key, metaKey, target } = event;
    if (key !== "/" || isComposing || altKey || ctrlKey || metaKey || isTyping(target)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  const list = () => document.getElementById("suggestions");
  const chosen = () => list().querySelector("[aria-selected=true]");
  let isLeft = false; // by Escape, until more is typed

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  function show(isWanted) {
    const isOpen = isWanted && list().childElementCount > 0;
    list().hidden = !isOpen;
    field.setAttribute("aria-expanded", String(isOpen));
    choose(null);
  }

  field.addEventListener("keydown", (event) => {
    const { isComposing, key } = event;
    const options = [...list().children];
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (isComposing || !options.length) return;
    if (step) {
      if (list().hidden) show(true);
      const none = options.length; // the field itself, between the last option and the first
      const at = chosen() ? options.indexOf(chosen()) : none;
      choose(options[(at + step + none + 1) % (none + 1)]);
    } else if (key === "Enter" && chosen()) chosen().click();
    else if (key === "Escape" && !list().hidden) show(!(isLeft = true));
    else return;
    event.preventDefault();
  });

  field.addEventListener("input", () => (isLeft = false));

  field.form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!field.form.contains(relatedTarget)) show(false);
  });

  // An answer that comes when the field was left stays folded.
  document.addEventListener("htmx:afterSwap", ({ target }) => {
    if (target.id !== "suggestions") return;
    show(document.activeElement === field && !isLeft);
    document.getElementById("announcement").textContent = list().dataset.announce;
  });
})();
