// One run: verify its proof, judge it again, export it, erase it.
import { api, busy, download, make, notify } from "./console.js";
import { verifyBundle } from "./verify.js";

const run = document.getElementById("proof").dataset.run;

const exported = async (disclose) =>
  (await api(`/runs/${run}/export`, { body: { disclose } })).arrayBuffer();

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-export]");
  if (!button) return;
  busy(button, async () => {
    const bytes = await exported(button.dataset.export === "all" ? "all" : []);
    download(`answer.${run}.bundle.json`, new Blob([bytes], { type: "application/json" }));
  });
});

function report(found) {
  if (!found.valid) {
    return [make("p", { className: "note bad", textContent: `This proof does not hold: ${found.reasons.join("; ")}` })];
  }
  const list = make("ul", { className: "checks" });
  for (const text of found.proved) list.append(make("li", { textContent: text }));
  return [
    make("p", { className: "note good", textContent: "This proof holds." }), list,
    make("p", { className: "soft", textContent: `Not proved: ${found.notProved.join("; ")}.` }),
  ];
}

document.getElementById("verify").addEventListener("submit", (event) => {
  event.preventDefault();
  const keys = new FormData(event.target).get("key").split(/\s+/).filter(Boolean);
  busy(event.target.querySelector("button"), async () => {
    const bytes = new Uint8Array(await exported("all"));
    document.getElementById("verified").replaceChildren(...report(await verifyBundle(bytes, keys)));
  });
});

document.getElementById("decide").addEventListener("submit", (event) => {
  event.preventDefault();
  const policy = new FormData(event.target).get("policy");
  busy(event.target.querySelector("button"), async () => {
    const found = await (await api(`/runs/${run}/decide`, { body: { policy } })).json();
    const box = document.getElementById("decided");
    if (found.trouble) {
      box.replaceChildren(make("p", { className: "note warn", textContent: found.trouble }));
      return;
    }
    const words = found.changed ? `Decided otherwise: ${found.recorded} → ${found.decision}` : `The same decision: ${found.decision}`;
    const list = make("ul", { className: "steps-words" });
    for (const one of found.objections) list.append(make("li", {}, make("code", { textContent: one.rule }), ` ${one.reason}`));
    box.replaceChildren(make("p", { className: found.changed ? "note warn" : "note good", textContent: words }), list);
  });
});

const dialog = document.getElementById("erase-dialog");
if (dialog) {
  document.getElementById("erase").addEventListener("click", () => dialog.showModal());
  dialog.querySelector('[value="cancel"]').addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = new FormData(event.target).get("reason");
    busy(event.submitter ?? dialog.querySelector('[value="erase"]'), async () => {
      await api("/runs/erase", { body: { runs: [run], reason } });
      dialog.close();
      notify("The content was erased.");
      location.reload();
    });
  });
}
