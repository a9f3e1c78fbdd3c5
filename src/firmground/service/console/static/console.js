// What every page needs: calls to the API, notices, relative times, copying.

const token = document.querySelector('meta[name="csrf-token"]')?.content ?? "";
const html = globalThis.trustedTypes?.createPolicy("console", { createHTML: (text) => text }) ?? {
  createHTML: (text) => text,
};

/** A problem that the server told, or that kept us from reaching it. */
export class Failed extends Error {
  constructor(message, { status = 0, code = "", document = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.document = document;
  }
}

async function reach(address, options, seconds) {
  try {
    return await fetch(address, { ...options, signal: AbortSignal.timeout(seconds * 1000) });
  } catch (error) {
    const late = error.name === "TimeoutError";
    throw new Failed(
      late ? `The server has not answered within ${seconds} seconds. Try again.` : "The server cannot be reached. Nothing was changed; try again.",
      { code: late ? "slow" : "lost" },
    );
  }
}

async function told(reply) {
  const document = await reply.json().catch(() => ({}));
  return new Failed(document.detail || document.title || `The server answered ${reply.status}.`, {
    status: reply.status, code: document.code ?? "", document,
  });
}

/** Call the API; resolves to the reply, rejects with Failed. */
export async function api(path, { body, method, headers = {}, seconds = 60 } = {}) {
  const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers: { ...headers } };
  if (options.method !== "GET") options.headers["X-CSRF-Token"] = token;
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const reply = await reach(`/api/v1${path}`, options, seconds);
  if (!reply.ok) throw await told(reply);
  return reply;
}

/** Load an address of the console and return the part of it with this id. */
export async function fragment(address, id, { body, seconds = 30 } = {}) {
  const options = { headers: { "X-Console": "fragment" } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.headers["X-CSRF-Token"] = token;
    options.body = JSON.stringify(body);
  }
  const reply = await reach(address, options, seconds);
  if (reply.status === 401) throw new Failed("Your session has ended.", { status: 401, code: "session_ended" });
  const text = await reply.text();
  const page = new DOMParser().parseFromString(html.createHTML(text), "text/html");
  const part = page.getElementById(id);
  if (!reply.ok || !part) {
    const said = page.querySelector("main h1")?.textContent ?? `The server answered ${reply.status}.`;
    throw new Failed(said, { status: reply.status });
  }
  return document.importNode(part, true);
}

export function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** Show a notice; it goes by itself unless it is about a failure. */
export function notify(text, { bad = false, action } = {}) {
  const note = make("p", { className: bad ? "note bad" : "note" }, make("span", { textContent: text }));
  if (bad) note.setAttribute("role", "alert");
  if (action) note.append(make("button", { type: "button", textContent: action[0], onclick: () => { note.remove(); action[1](); } }));
  else note.append(make("button", { type: "button", textContent: "Close", onclick: () => note.remove() }));
  const box = document.getElementById("notice");
  box.replaceChildren(note);
  if (!bad) setTimeout(() => note.remove(), 6000);
}

/** Tell a failure in words that say what to do. */
export function fail(error) {
  if (error.status === 401) {
    const here = location.pathname + location.search;
    notify("Your session has ended. What you typed is still here; sign in in a new tab, or go to the sign-in page.", {
      bad: true, action: ["Sign in", () => location.assign(`/console/login?ended=1&next=${encodeURIComponent(here)}`)],
    });
  } else if (error.code === "bad_token") {
    notify("This page is out of date.", { bad: true, action: ["Load again", () => location.reload()] });
  } else {
    notify(error.message, { bad: true });
  }
  if (!(error instanceof Failed)) console.error(error);
}

/** Run the work of a button: it is busy meanwhile, and failures are told. */
export async function busy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return undefined;
  button.setAttribute("aria-busy", "true");
  try {
    return await work();
  } catch (error) {
    fail(error);
    return undefined;
  } finally {
    button.removeAttribute("aria-busy");
  }
}

export function download(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const units = [[60, "s"], [3600, "min"], [86400, "h"], [Infinity, "d"]];
const sizes = { s: 1, min: 60, h: 3600, d: 86400 };

export function ages(root = document) {
  for (const node of root.querySelectorAll("time[datetime]")) {
    const seconds = (Date.now() - Date.parse(node.dateTime)) / 1000;
    if (!Number.isFinite(seconds) || seconds > 30 * 86400) continue;
    if (!node.title) node.title = node.textContent;
    const ahead = Math.abs(seconds);
    const unit = units.find(([most]) => ahead < most)[1];
    const much = Math.max(0, Math.floor(ahead / sizes[unit]));
    node.textContent = seconds < -1 ? `in ${much} ${unit}` : `${much} ${unit} ago`;
  }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    notify("The browser did not allow copying. Select the text and copy it by hand.", { bad: true });
  }
}

document.addEventListener("click", (event) => {
  const whole = event.target.closest("[data-copy-address]");
  if (whole) copy(location.href);
  const one = event.target.closest("[data-copy]");
  if (one) copy(one.dataset.copy || document.getElementById(one.dataset.copyFrom).textContent);
  for (const menu of document.querySelectorAll("details.who[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.who[open]")) menu.open = false;
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const search = document.getElementById("q");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});
document.querySelector(".pages [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
ages();
setInterval(ages, 15000);
