// Keeps a page up to date: listens for changes, loads the same address again, and puts in the parts that differ.
"use strict";
(() => {
  const body = document.body;
  const banner = document.querySelector(".connection");
  if (!banner || !document.querySelector("[data-live]")) return;
  const task = body.dataset.liveTask;
  const address = "/live" + (task ? "?task=" + encodeURIComponent(task) : "");
  const RETRY_MS = 2000;
  const CALM_MS = 800;
  let wasLost = false;
  let timer = 0;
  let isLoading = false;
  let isDue = false;

  function tell(words, isPassing) {
    banner.textContent = words;
    banner.hidden = false;
    if (isPassing) setTimeout(() => { if (banner.textContent === words) banner.hidden = true; }, 2500);
  }

  function lost() {
    if (!wasLost) tell(body.dataset.lost, false);
    wasLost = true;
  }

  function found() {
    if (!wasLost) return;
    wasLost = false;
    tell(body.dataset.back, true);
    refreshSoon();
  }

  function refreshSoon() {
    if (timer) return;
    timer = setTimeout(() => { timer = 0; refresh(); }, CALM_MS);
  }

  async function refresh() {
    if (isLoading) { isDue = true; return; }
    isLoading = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (answer.ok) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      lost();
    } finally {
      isLoading = false;
      if (isDue) { isDue = false; refreshSoon(); }
    }
  }

  // A part that somebody is typing in is left alone until the next change.
  function put(fresh) {
    for (const part of document.querySelectorAll("[data-live]")) {
      const next = fresh.getElementById(part.id);
      if (!next || next.isEqualNode(part)) continue;
      const focused = part.contains(document.activeElement) ? document.activeElement : null;
      if (focused && focused.matches("input, select, textarea")) continue;
      const href = focused && focused.getAttribute("href");
      const known = new Set([...part.querySelectorAll("li[id]")].map((one) => one.id));
      const open = [...part.querySelectorAll("details[open][id]")].map((one) => one.id);
      part.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
      for (const one of part.querySelectorAll("li[id]")) if (known.size && !known.has(one.id)) one.classList.add("fresh");
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
      if (href) for (const link of part.querySelectorAll("a")) if (link.getAttribute("href") === href) { link.focus(); break; }
    }
  }

  function listen() {
    const stream = new EventSource(address);
    stream.addEventListener("hello", found);
    stream.addEventListener("change", refreshSoon);
    stream.onerror = () => {
      lost();
      if (stream.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS);
    };
    addEventListener("pagehide", () => stream.close(), { once: true });
  }
  listen();
  addEventListener("pageshow", (event) => { if (event.persisted) { listen(); refreshSoon(); } });
})();
