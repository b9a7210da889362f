"use strict";

// The header's menus: closed by Escape, and by a press elsewhere.
(() => {
  const header = document.querySelector(".site-header");
  if (header === null) return;

  // The links of the menu of a narrow window are elsewhere in the header; a folded part has its own.
  const close = (menu, area) => {
    document.addEventListener("click", ({ target }) => {
      if (!area.contains(target)) menu.open = false;
    });

    area.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open || !menu.checkVisibility()) return;
      event.stopPropagation();
      menu.open = false;
      menu.firstElementChild.focus();
    });
  };

  for (const menu of header.querySelectorAll(".site-menu")) close(menu, header);
  for (const menu of header.querySelectorAll(".nav-more")) close(menu, menu);
})();
