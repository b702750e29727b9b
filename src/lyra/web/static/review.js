// The review queue by keyboard: s, r, n decide the current text, j and k move, u takes the last review back.
"use strict";
(() => {
  const root = () => document.querySelector("[data-review]");
  if (!root()) return;
  let place = 0;
  let isSending = false;

  const items = () => [...document.querySelectorAll(".review-item")];

  function show(next) {
    const all = items();
    place = Math.max(0, Math.min(next, all.length - 1));
    all.forEach((one, at) => one.classList.toggle("current", at === place));
    const current = all[place];
    if (current) {
      current.focus({ preventScroll: true });
      current.scrollIntoView({ block: "nearest" });
    }
  }

  function tell(which) {
    const place = document.querySelector("[data-told]");
    if (!place) return;
    place.textContent = place.dataset[which];
    place.classList.toggle("hidden", which !== "failed");
    place.classList.toggle("problem", which === "failed");
  }

  async function send(form, button, told) {
    if (isSending) return;
    isSending = true;
    const fields = new URLSearchParams(new FormData(form));
    if (button) fields.set(button.name, button.value);
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, credentials: "same-origin" });
      if (!answer.ok) { tell("failed"); return; }
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-review]");
      if (!next) { tell("failed"); return; }
      root().replaceWith(document.importNode(next, true));
      show(place);
      tell(told);
    } catch {
      tell("failed");
    } finally {
      isSending = false;
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!root().contains(form)) return;
    event.preventDefault();
    const item = form.closest(".review-item");
    if (item) place = items().indexOf(item);
    send(form, event.submitter, item ? "done" : "undone");
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") show(place);
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "j") show(place + 1);
    else if (key === "k") show(place - 1);
    else if (key === "u") document.querySelector(".undo")?.requestSubmit();
    else {
      const button = items()[place]?.querySelector(`button[data-key="${CSS.escape(key)}"]`);
      if (!button) return;
      button.form.requestSubmit(button);
    }
    event.preventDefault();
  });

  document.addEventListener("focusin", (event) => {
    const item = event.target.closest?.(".review-item");
    if (item && items()[place] !== item) {
      place = items().indexOf(item);
      items().forEach((one, at) => one.classList.toggle("current", at === place));
    }
  });
  show(0);
})();
