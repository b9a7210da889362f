"use strict";

// "Near me": the browser's location, if it has one and the visitor agrees. The form works without it.
(() => {
  function takeBack() {
    document.querySelectorAll("[data-locate]").forEach((button) => (button.hidden = true));
  }

  function locate(button) {
    const field = document.getElementById(button.dataset.locate);
    button.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        field.value = `${coords.latitude.toFixed(4)}, ${coords.longitude.toFixed(4)}`;
        button.disabled = false;
        field.form.requestSubmit();
      },
      () => {
        button.disabled = false;
        button.focus({ preventScroll: true }); // a disabled button loses it
        document.dispatchEvent(new CustomEvent("said", { detail: { sentences: [button.dataset.refused], isWarning: true } }));
      },
      { timeout: 10000, maximumAge: 300000 },
    );
  }

  if (!("geolocation" in navigator) || !window.isSecureContext) {
    document.addEventListener("htmx:afterSwap", takeBack);
    takeBack();
    return;
  }
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-locate]");
    if (button) locate(button);
  });
})();
