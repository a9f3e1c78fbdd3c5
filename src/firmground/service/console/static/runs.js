// The list of runs: kept live by server-sent events; j and k move, Enter opens.
import { ages, fail, fragment } from "./console.js";

const live = document.getElementById("live");
const first = !new URLSearchParams(location.search).has("before");
let waiting = false;
let pending = false;

const say = (state, text) => {
  live.dataset.state = state;
  live.lastElementChild.textContent = text;
};

const rows = () => [...document.querySelectorAll("tr[data-run]")];

async function refresh() {
  if (waiting) {
    pending = true;
    return;
  }
  waiting = true;
  try {
    const known = new Set(rows().map((row) => row.dataset.run));
    const focused = document.activeElement?.closest("tr[data-run]")?.dataset.run;
    const list = await fragment(location.href, "list");
    document.getElementById("list").replaceWith(list);
    for (const row of rows()) if (!known.has(row.dataset.run)) row.classList.add("fresh");
    if (focused) document.querySelector(`tr[data-run="${CSS.escape(focused)}"] a`)?.focus();
    ages();
  } catch (error) {
    if (error.status === 401) {
      events.close();
      say("lost", "Session ended");
    }
    if (error.status) fail(error);
  } finally {
    waiting = false;
    if (pending) {
      pending = false;
      setTimeout(refresh, 500);
    }
  }
}

const events = first ? new EventSource("/api/v1/runs/events") : null;
if (events) {
  let lost = false;
  events.onopen = () => {
    say("on", "Live");
    if (lost) refresh();
    lost = false;
  };
  events.onerror = () => {
    lost = true;
    say("lost", events.readyState === EventSource.CLOSED ? "Not live: load the page again" : "Connection lost, trying again");
  };
  events.addEventListener("run", refresh);
  addEventListener("pagehide", () => events.close());
} else {
  say("off", "Older runs");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const all = rows();
  const at = all.indexOf(document.activeElement?.closest("tr[data-run]"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
  if (!next) return;
  event.preventDefault();
  for (const row of all) row.classList.toggle("at", row === next);
  next.querySelector("a").focus();
});
