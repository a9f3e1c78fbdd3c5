// Rule on a case: approve, edit or reject, by mouse or by keys a, e, r; n and p move between cases.
import { api, busy, fail, make, notify } from "./console.js";

const form = document.getElementById("rule");
const links = [...document.querySelectorAll("a[data-case]")];

function go(by) {
  const at = links.findIndex((link) => link.hasAttribute("aria-current"));
  links[Math.min(links.length - 1, Math.max(0, at + by))]?.click();
}

function overtaken(ruling) {
  const who = ruling?.name || "Somebody else";
  const box = make("p", { className: "note warn", tabIndex: -1 }, `${who} has ruled on this case (${ruling?.choice ?? "settled"}) while you looked at it. Yours was not recorded. `,
    make("a", { href: location.href, textContent: "Show the ruling" }));
  box.setAttribute("role", "alert");
  form.replaceWith(box);
  box.focus();
}

async function rule(choice, button) {
  const given = new FormData(form);
  const note = given.get("note").trim();
  if (!note) {
    form.elements.note.focus();
    notify("Write a reason first; it is kept in the ledger.", { bad: true });
    return;
  }
  const body = { choice, note };
  if (choice === "replace") body.answer = given.get("answer");
  await busy(button, async () => {
    try {
      await api(`/escalations/${form.dataset.case}/ruling`, { body, headers: { "If-Match": form.dataset.etag } });
    } catch (error) {
      if (error.status === 409 || error.status === 412) return overtaken(error.document.ruling);
      throw error;
    }
    const next = links[links.findIndex((link) => link.dataset.case === form.dataset.case) + 1] ?? links[0];
    sessionStorage.setItem("ruled", choice);
    location.assign(next && next.dataset.case !== form.dataset.case ? next.href : "/console/escalations");
    return undefined;
  });
}

function edit() {
  document.getElementById("edit-field").hidden = false;
  form.querySelector('[value="replace"]').hidden = false;
  document.getElementById("edit").hidden = true;
  form.elements.answer.focus();
}

const said = { skip: "Approved.", replace: "The edited answer was released.", abort: "Rejected." };
const before = sessionStorage.getItem("ruled");
if (before) {
  sessionStorage.removeItem("ruled");
  notify(`${said[before] ?? "Ruled."} The ruling is in the ledger.`);
}

if (form) {
  document.getElementById("edit")?.addEventListener("click", edit);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    rule(event.submitter?.value || "skip", event.submitter ?? form.querySelector("button")).catch(fail);
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (event.key === "n") go(1);
  else if (event.key === "p") go(-1);
  else if (form && event.key === "e" && document.getElementById("edit")) edit();
  else if (form && (event.key === "a" || event.key === "r")) {
    const button = form.querySelector(event.key === "a" ? '[value="skip"]' : '[value="abort"]');
    if (!button) return;
    if (form.elements.note.value.trim()) button.click();
    else form.elements.note.focus();
  } else return;
  event.preventDefault();
});
