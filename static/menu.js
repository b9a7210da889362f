"use strict";

// The header's menu of a narrow window: closed by Escape, and by a press elsewhere.
(() => {
  const menu = document.querySelector(".site-menu");
  if (menu === null) return;
  const header = menu.closest("header");

  document.addEventListener("click", ({ target }) => {
    if (!header.contains(target)) menu.open = false;
  });

  header.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open || !menu.checkVisibility()) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
})();
