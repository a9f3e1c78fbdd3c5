(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const handles = all(".handle");
  const marks = all("mark").map((node) => [node, new Set(node.dataset.claims.split(" "))]);
  const sheet = one("#sheet");
  let pinned = null;

  const light = (claim) => {
    for (const node of all(".claim, .card, .handle")) {
      node.classList.toggle("on", claim !== null && node.dataset.claim === claim);
    }
    for (const [node, claims] of marks) node.classList.toggle("on", claim !== null && claims.has(claim));
  };

  const intoView = (node, box) => {
    if (!node || box.scrollHeight <= box.clientHeight) return;
    const inner = node.getBoundingClientRect();
    const outer = box.getBoundingClientRect();
    box.scrollTop += inner.top - outer.top - outer.height / 3;
  };

  const pin = (claim) => {
    pinned = claim;
    light(claim);
    for (const node of handles) node.setAttribute("aria-pressed", String(node.dataset.claim === claim));
    sheet.hidden = claim === null;
    const inside = sheet.querySelector("div");
    inside.replaceChildren();
    if (claim === null) return;
    const card = one(`.left .card[data-claim="${claim}"]`);
    if (card) inside.append(card.cloneNode(true));
    const lit = marks.find(([, claims]) => claims.has(claim));
    if (lit) intoView(lit[0], one(".right"));
  };

  const filter = (standing) => {
    for (const node of all(".standings button")) {
      node.setAttribute("aria-pressed", String(node.dataset.filter === standing));
    }
    for (const node of all(".left .card")) {
      node.hidden = standing !== "" && node.dataset.standing !== standing;
    }
    for (const node of all(".claim, .handle")) {
      node.classList.toggle("dim", standing !== "" && !node.classList.contains(standing));
    }
  };

  const step = (by) => {
    const shown = handles.filter((node) => !node.classList.contains("dim"));
    if (!shown.length) return;
    const at = shown.findIndex((node) => node.dataset.claim === pinned);
    const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length;
    shown[next].focus();
    pin(shown[next].dataset.claim);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".standings button");
    if (button) return filter(button.dataset.filter);
    if (event.target.closest("#close")) return pin(null);
    if (event.target.closest("a, details")) return undefined;
    const node = event.target.closest("[data-claim]");
    if (node) return pin(node.dataset.claim === pinned && !node.closest("#sheet") ? null : node.dataset.claim);
    const mark = event.target.closest("mark");
    if (mark) return pin(mark.dataset.claims.split(" ")[0]);
    return undefined;
  });
  document.addEventListener("mouseover", (event) => {
    const node = event.target.closest("[data-claim]");
    if (node) light(node.dataset.claim);
    else light(pinned);
  });
  document.addEventListener("focusin", (event) => {
    const node = event.target.closest(".handle");
    if (node) light(node.dataset.claim);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "Escape") pin(null);
    else if (event.key === "j" || event.key === "ArrowRight") step(1);
    else if (event.key === "k" || event.key === "ArrowLeft") step(-1);
    else return;
    event.preventDefault();
  });
})();
