// Make and revoke keys, end sessions.
import { api, busy } from "./console.js";

const dialog = (name) => document.getElementById(`${name}-dialog`);

document.getElementById("new").addEventListener("click", () => dialog("new").showModal());
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

dialog("new").querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = new FormData(event.target);
  const body = { name: given.get("name"), scopes: [given.get("role")] };
  if (given.get("per_minute")) body.per_minute = Number(given.get("per_minute"));
  if (given.get("expires")) body.expires = `${given.get("expires")}T00:00:00.000000Z`;
  busy(event.submitter, async () => {
    const made = await (await api("/keys", { body })).json();
    dialog("new").close();
    document.getElementById("made").textContent = made.key;
    dialog("made").showModal();
  });
});
document.getElementById("done").addEventListener("click", () => location.reload());
dialog("made").addEventListener("cancel", () => location.reload());

let revoking = "";
document.addEventListener("click", (event) => {
  const revoke = event.target.closest("[data-revoke]");
  if (revoke) {
    revoking = revoke.dataset.revoke;
    document.getElementById("revoke-name").textContent = revoke.dataset.name;
    dialog("revoke").showModal();
  }
  const end = event.target.closest("[data-end]");
  if (end) busy(end, async () => {
    await api(`/sessions/${end.dataset.end}/end`, { method: "POST" });
    location.reload();
  });
});
dialog("revoke").querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.submitter, async () => {
    await api(`/keys/${revoking}/revoke`, { method: "POST" });
    location.reload();
  });
});
