"use strict";

// The queue: how many orders are selected, and where the focus goes when an order leaves its row.
(() => {
  const rows = () => [...document.querySelectorAll("#queue tr[data-order-id]")];
  const boxOf = (row) => row.querySelector("input[name=order]");
  let left = null; // the row in which a button was pressed: its order, and its place

  function tell() {
    const bulk = document.getElementById("bulk");
    if (bulk === null) return;
    const chosen = rows().filter((row) => boxOf(row).checked);
    const count = bulk.querySelector("[data-selected]");
    count.textContent = chosen.length ? count.dataset.some.replace("{count}", chosen.length) : count.dataset.none;
    bulk.querySelector("[data-clear]").hidden = !chosen.length;
    for (const button of bulk.querySelectorAll("[data-moves]")) {
      button.disabled = !chosen.some((row) => row.dataset.status === button.dataset.moves);
    }
    const all = document.querySelector("[data-select-all]");
    all.checked = chosen.length > 0 && chosen.length === rows().length;
    all.indeterminate = chosen.length > 0 && !all.checked;
  }

  document.addEventListener("change", tell);
  document.addEventListener("reset", () => window.setTimeout(tell));

  document.addEventListener("htmx:beforeRequest", ({ target }) => {
    const row = target.closest("tr[data-order-id]");
    left = row && { id: row.dataset.orderId, place: rows().indexOf(row) };
  });

  document.addEventListener("htmx:afterSwap", ({ target }) => {
    tell();
    if (left === null || target.id !== "queue") return;
    const now = rows();
    const next = now.find((row) => row.dataset.orderId === left.id) ?? now[left.place] ?? now.at(-1);
    next?.focus();
    left = null;
  });

  tell();
})();
