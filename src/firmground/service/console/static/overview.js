// Export of charts, figures as CSV, and an audit of the log.
import { api, busy, download, make } from "./console.js";

const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family"];

function standalone(chart) {
  const copy = chart.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const from = [...chart.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of PAINTED) node.setAttribute(name, style.getPropertyValue(name));
  });
  return new XMLSerializer().serializeToString(copy);
}

function csv(found) {
  const rows = [["from", "runs", "stands", "does_not_stand", "could_not_tell", "p50_ms", "p95_ms", "p99_ms", "calls", "tokens"]];
  for (const one of found.series) {
    rows.push([one.from, one.runs, ...["stands", "does_not_stand", "could_not_tell"].map((v) => one.verdicts[v] ?? 0),
      one.latency.p50, one.latency.p95, one.latency.p99, one.calls, one.tokens]);
  }
  return `${rows.map((row) => row.join(",")).join("\n")}\n`;
}

document.addEventListener("click", (event) => {
  const svg = event.target.closest("[data-svg]");
  if (svg) download(`${svg.dataset.svg}.svg`, new Blob([standalone(svg.closest(".panel").querySelector("svg"))], { type: "image/svg+xml" }));
  const table = event.target.closest("[data-csv]");
  if (table) busy(table, async () => {
    const found = await (await api(table.dataset.csv.replace("/api/v1", ""))).json();
    download("overview.csv", new Blob([csv(found)], { type: "text/csv" }));
  });
});

document.getElementById("audit")?.addEventListener("click", (event) => busy(event.currentTarget, async () => {
  const found = await (await api("/log/audit", { method: "POST", seconds: 600 })).json();
  const words = found.holds ? `The log holds: ${found.size} entries, ${found.runs} runs.` : `The audit found ${found.problems.length + found.omitted} problems.`;
  const list = make("ul", {}, ...found.problems.slice(0, 20).map((one) => make("li", { textContent: `entry ${one.seq}: ${one.part} ${one.wrong} ${one.detail}` })));
  document.getElementById("audited").replaceChildren(make("p", { className: found.holds ? "note good" : "note bad", textContent: words }), list);
}));
