// Verifies an exported run offline: the file, and keys that the caller trusts. Needs WebCrypto only.

const encoder = new TextEncoder();
const MAX_BYTES = 1 << 26;
const MAX_ENTRY = 1 << 20;
const MAX_MARKS = 1 << 16;
const MAX_ESCAPES = 1 << 15;
const MAX_STAGES = 1 << 10;
const MAX_COUNT = (1n << 63n) - 1n;
const SPACE_OR_CONTROL = /[\s+\x00-\x1f\x7f-\x9f]/u;
const WEAK = new Set([
  "00".repeat(32), "01" + "00".repeat(31), "ec" + "ff".repeat(30) + "7f", "ed" + "ff".repeat(30) + "7f", "ee" + "ff".repeat(30) + "7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);
export const NOT_PROVED = [
  "that what was recorded is true", "that every run was recorded", "what undisclosed payloads say",
  "that the log shows everybody the same history",
];

class Refused extends Error {}
const refuse = (why) => { throw new Refused(why); };
const need = (holds, why) => { if (!holds) refuse(why); };

// Bytes

const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
const join = (...parts) => {
  const made = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) { made.set(part, at); at += part.length; }
  return made;
};
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));

function b64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function unb64(text, what) {
  need(typeof text === "string", `${what} must be base64`);
  let raw;
  try { raw = atob(text); } catch { refuse(`${what} is not base64`); }
  const bytes = Uint8Array.from(raw, (c) => c.charCodeAt(0));
  need(b64(bytes) === text, `${what} is base64, but not in its canonical spelling`);
  return bytes;
}

function unhex(text, what, size = 32) {
  need(typeof text === "string" && text.length === 2 * size && /^[0-9a-f]*$/.test(text), `${what} is not ${2 * size} lower-case hexadecimal digits`);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function decoded(bytes, what) {
  try { return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes); } catch { return refuse(`${what} is not UTF-8`); }
}

// Canonical JSON

function write(value) {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

function checkValue(value, depth) {
  need(depth <= 32, "nested more than 32 deep");
  if (typeof value === "string") need(value.isWellFormed(), "a lone surrogate");
  else if (typeof value === "number") need(Number.isSafeInteger(value), "a number that is no integer up to 2**53 - 1");
  else if (Array.isArray(value)) for (const one of value) checkValue(one, depth + 1);
  else if (value !== null && typeof value === "object") {
    for (const [key, one] of Object.entries(value)) {
      need(/^[a-z0-9_.-]{1,64}$/.test(key), "a key that is not allowed");
      checkValue(one, depth + 1);
    }
  }
}

function parseJson(bytes, what) {
  try { return JSON.parse(decoded(bytes, what)); } catch (error) {
    if (error instanceof Refused) throw error;
    return refuse(`${what} is not JSON`);
  }
}

function canonical(bytes, most, what) {
  need(bytes.length <= most, `${what} takes more than ${most} bytes`);
  const value = parseJson(bytes, what);
  checkValue(value, 0);
  // A second key of the same name, white space and other spellings do not survive this.
  need(equal(encoder.encode(write(value)), bytes), `${what} is JSON, but not in canonical form`);
  return value;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
function exact(value, keys, what) {
  need(isObject(value) && Object.keys(value).sort().join() === [...keys].sort().join(), `${what} must have exactly the keys ${keys.join(", ")}`);
  return value;
}

// The grammar of a run

function plan(shape, preflight, attempts) {
  if (shape === "reject") {
    need(preflight && attempts.length === 0, "a rejected run has a preflight and no attempts");
    return [["question", 0, []], ["preflight", 0, [0]], ["final_label", 0, [0, 1]]];
  }
  need(attempts.length >= 1 && attempts.length <= 64 && attempts[0] === "first" && !attempts.slice(1).includes("first"), "a run begins with exactly one first attempt");
  const made = [["question", 0, []]];
  if (preflight) made.push(["preflight", 0, [0]]);
  const asked = made.map((_, i) => i);
  const sorted = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
  const verdicts = [];
  let evidence = 0;
  attempts.forEach((kind, number) => {
    const before = verdicts.slice(-1);
    if (kind !== "regenerate") {
      made.push(["retrieval", number, [...asked, ...before]]);
      made.push([shape === "quote" ? "context" : "evidence_map", number, [made.length - 1]]);
      evidence = made.length - 1;
    }
    made.push(["prompt", number, sorted([0, evidence, ...before])]);
    const answering = shape === "quote" ? ["answer", "verify"] : ["raw_answer", "parsed_claims", "verify", "render"];
    for (const stage of answering) {
      const last = made.length - 1;
      if (stage === "verify") verdicts.push(made.length);
      made.push([stage, number, stage === "verify" ? [evidence, last] : [last]]);
    }
  });
  const rendered = made.flatMap(([stage], i) => (stage === "render" ? [i] : []));
  made.push(["final_label", attempts.length - 1, sorted([...verdicts, ...rendered])]);
  return made;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ENTRY = ["v", "type", "seq", "prev", "ts", "durability", "run", "shape", "preflight", "attempts", "n", "root", "label", "aside", "policy", "stream"];

function readEntry(bytes) {
  const entry = canonical(bytes, MAX_ENTRY, "the entry");
  need(isObject(entry) && entry.v === "fg1" && entry.type === "run", "the entry records no run");
  exact(entry, ENTRY, "the entry");
  need(Number.isSafeInteger(entry.seq) && entry.seq >= 0, "seq must be a count");
  const prev = unhex(entry.prev, "prev");
  need((entry.seq === 0) === prev.every((b) => b === 0), "the first entry, and only it, has no entry before it");
  const moment = typeof entry.ts === "string" && TIME.test(entry.ts) ? new Date(`${entry.ts.slice(0, 23)}Z`) : new Date(NaN);
  need(!Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 19) === entry.ts.slice(0, 19) && entry.ts.slice(0, 4) !== "0000", "ts is not a time");
  need(["full", "process"].includes(entry.durability), "durability is unknown");
  need(typeof entry.run === "string" && RUN_ID.test(entry.run), "run must be a UUID in lower case");
  need(["quote", "pointer", "reject"].includes(entry.shape), "shape is unknown");
  need(typeof entry.preflight === "boolean", "preflight must be true or false");
  need(Array.isArray(entry.attempts) && entry.attempts.every((a) => ["first", "regenerate", "replan"].includes(a)), "attempts are unknown");
  need(isObject(entry.label) && Object.keys(entry.label).length >= 1 && Object.keys(entry.label).length <= 1024, "label must be an object");
  for (const value of Object.values(entry.label)) need(typeof value === "string" && [...value].length <= 1024, "a label is too long");
  for (const name of ["aside", "policy"]) if (entry[name] !== null) unhex(entry[name], name);
  need(["buffered", "windowed", "annotate"].includes(entry.stream), "stream is unknown");
  const stages = plan(entry.shape, entry.preflight, entry.attempts);
  need(entry.n === stages.length, "n does not fit the shape");
  return { entry, stages, root: unhex(entry.root, "root") };
}

// Merkle tree (RFC 9162)

const leafHash = (bytes) => sha256(Uint8Array.of(0), bytes);
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

async function treeRoot(leaves) {
  if (leaves.length === 1) return leaves[0];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(await treeRoot(leaves.slice(0, split)), await treeRoot(leaves.slice(split)));
}

async function includes(leaf, index, size, path, root) {
  if (index >= size) return false;
  let fn = index, sn = size - 1n, current = leaf;
  for (const sibling of path) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      current = await nodeHash(sibling, current);
      while (!(fn & 1n) && fn) { fn >>= 1n; sn >>= 1n; }
    } else current = await nodeHash(current, sibling);
    fn >>= 1n; sn >>= 1n;
  }
  return sn === 0n && equal(current, root);
}

async function checkStages(stages, entry, planned, root) {
  need(stages.length === planned.length, `the run has ${planned.length} stages, ${stages.length} are here`);
  const commits = [], hashes = [];
  for (const [ordinal, bytes] of stages.entries()) {
    const [stage, attempt, parents] = planned[ordinal];
    const commit = /^\{"attempt":\d{1,2},"commit":"([0-9a-f]{64})",/.exec(decoded(bytes, `stage ${ordinal}`))?.[1] ?? "";
    const expected = write({ v: "fg1", stage, ord: ordinal, attempt, run: entry.run, commit, parents: parents.map((p) => hex(hashes[p])) });
    need(commit && equal(encoder.encode(expected), bytes), `stage ${ordinal} is not the ${stage} of run ${entry.run}`);
    commits.push(unhex(commit, "commit"));
    hashes.push(await leafHash(bytes));
  }
  need(equal(await treeRoot(hashes), root), "the stages do not lead to the root that the entry states");
  return commits;
}

async function commitment(salt, stage, payload) {
  const key = await crypto.subtle.importKey("raw", salt, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, join(encoder.encode(`fg1/payload\0${stage}\0`), payload)));
}

function readAside(payload) {
  const found = exact(canonical(payload, MAX_ENTRY, "what is beside the stages"), ["cache_key", "compat"], "an aside");
  if (found.cache_key !== null) unhex(found.cache_key, "cache_key");
  if (found.compat !== null) {
    exact(found.compat, ["profile", "root"], "compat");
    need(found.compat.profile === "fg0", "compat must be of profile fg0");
    unhex(found.compat.root, "compat.root");
  }
  need(found.cache_key !== null || found.compat !== null, "an aside that says nothing is left out");
}

async function checkDisclosed(disclosed, entry, planned, commits) {
  for (const item of disclosed) {
    need(item.ord <= planned.length, `a payload is disclosed for stage ${item.ord}, which does not exist`);
    const beside = item.ord === planned.length;
    if (beside) need(entry.aside !== null, "something is disclosed beside the stages, where nothing was recorded");
    const commit = await commitment(item.salt, beside ? "aside" : planned[item.ord][0], item.payload);
    need(equal(commit, beside ? unhex(entry.aside, "aside") : commits[item.ord]), `the payload disclosed for stage ${item.ord} is not the one recorded`);
    if (beside) readAside(item.payload);
  }
}

// Keys, notes, checkpoints

function checkName(name) {
  const size = encoder.encode(name).length;
  need(size >= 1 && size <= 255 && name.isWellFormed() && !SPACE_OR_CONTROL.test(name.replaceAll("\ufeff", "")), "a name that is not allowed");
  return name;
}

async function keyId(name, kind, material) {
  return (await sha256(encoder.encode(`${name}\n`), Uint8Array.of(kind), material)).slice(0, 4);
}

/** Read a verifier key: name+id+base64. */
export async function readKey(text) {
  const [name, id, ...rest] = text.split("+");
  need(rest.length >= 1, "a key is not of the form name+keyid+base64");
  const bytes = unb64(rest.join("+"), "the key");
  need(bytes.length === 33 && (bytes[0] === 1 || bytes[0] === 4), "the key is of an unknown kind");
  const material = bytes.slice(1);
  const known = await keyId(checkName(name), bytes[0], material);
  need(equal(known, unhex(id, "the id of the key", 4)), `the key ${name} does not belong to the id it states`);
  const unsigned = material.slice();
  unsigned[31] &= 0x7f;
  need(!WEAK.has(hex(unsigned)), `the key of ${name} is one that anybody can sign for`);
  return { name, id: hex(known), kind: bytes[0], material };
}

async function signed(key, message, signature) {
  if (signature.length !== 64) return false;
  const loaded = await crypto.subtle.importKey("raw", key.material, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, loaded, signature, message);
}

function readCount(text, what) {
  need(/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= MAX_COUNT, `${what} is not a plain decimal number`);
  return BigInt(text);
}

async function readCheckpoint(text) {
  const data = encoder.encode(text);
  need(data.length <= 1 << 20 && !/[\x00-\x09\x0b-\x1f]/.test(text), "the note is too long or holds a control character");
  const gap = text.lastIndexOf("\n\n");
  need(gap > 0 && text.endsWith("\n"), "the note has no empty line between text and signatures");
  const body = text.slice(0, gap + 1);
  const lines = text.slice(gap + 2, -1).split("\n");
  need(lines.length <= 64, "the note has too many signatures");
  const seen = new Set();
  const signatures = lines.map((line) => {
    need(line.startsWith("\u2014 "), "a signature line begins with an em dash and a space");
    const at = line.indexOf(" ", 2);
    need(at > 0, "a signature line holds a name and a signature");
    const blob = unb64(line.slice(at + 1), "a signature");
    need(blob.length > 4, "a signature is too short");
    const found = { name: checkName(line.slice(2, at)), id: hex(blob.slice(0, 4)), blob: blob.slice(4) };
    need(!seen.has(`${found.name}+${found.id}`), "a key has signed twice");
    seen.add(`${found.name}+${found.id}`);
    return found;
  });
  const parts = body.split("\n");
  need(parts.length === 4 && parts[3] === "", "a checkpoint has exactly three lines: origin, size, root");
  const size = readCount(parts[1], "the size of the checkpoint");
  const root = unb64(parts[2], "the root of the checkpoint");
  need(root.length === 32 && (size === 0n) === equal(root, await sha256(new Uint8Array())), "the root of the checkpoint does not fit its size");
  return { origin: checkName(parts[0]), size, root, body, signatures };
}

async function readProof(text) {
  need(encoder.encode(text).length <= 1 << 21, "the proof is too long");
  const gap = text.indexOf("\n\n");
  need(gap >= 0, "a proof holds a checkpoint");
  const lines = text.slice(0, gap).split("\n");
  need(lines[0] === "c2sp.org/tlog-proof@v1", "a proof begins with c2sp.org/tlog-proof@v1");
  need(!lines[1]?.startsWith("extra "), "the proof carries extra data, which nothing authenticates");
  need(lines[1]?.startsWith("index "), "a proof states its index before the hashes");
  need(lines.length - 2 <= 63, "a proof has at most 63 hashes");
  const path = lines.slice(2).map((line) => unb64(line, "a hash of the proof"));
  need(path.every((one) => one.length === 32), "a hash of the proof has another length");
  return { index: readCount(lines[1].slice(6), "the index of the proof"), path, head: await readCheckpoint(text.slice(gap + 2)) };
}

async function checkSignatures(head, keys) {
  const trusted = keys.filter((key) => key.kind === 1 && key.name === head.origin);
  need(trusted.length, `no key for the log ${head.origin} was given`);
  const by = [];
  for (const line of head.signatures) {
    const key = trusted.find((one) => one.name === line.name && one.id === line.id);
    if (!key) continue;
    need(await signed(key, encoder.encode(head.body), line.blob), `the signature of ${key.name} is not valid`);
    by.push(key);
  }
  need(by.length, "no known key has signed");
  return by;
}

// The statement over the whole file (DSSE, in-toto)

async function checkStatement(bundle, found, keys) {
  const envelope = parseJson(bundle.dsse, "the envelope");
  exact(envelope, ["payload", "payloadType", "signatures"], "the envelope");
  const payload = unb64(envelope.payload, "the payload of the envelope");
  need(Array.isArray(envelope.signatures) && envelope.signatures.length >= 1 && envelope.signatures.length <= 16, "an envelope has 1 to 16 signatures");
  for (const one of envelope.signatures) {
    exact(one, ["keyid", "sig"], "a signature of the envelope");
    need(typeof one.keyid === "string" && one.keyid.isWellFormed(), "keyid must be a text");
  }
  need(new Set(envelope.signatures.map((one) => one.keyid)).size === envelope.signatures.length, "a key has signed the envelope twice");
  need(equal(encoder.encode(write(envelope)), bundle.dsse), "the envelope is not in its one accepted spelling");
  need(envelope.payloadType === "application/vnd.in-toto+json", "the envelope holds something else");
  const type = encoder.encode(envelope.payloadType);
  const message = join(encoder.encode(`DSSEv1 ${type.length} `), type, encoder.encode(` ${payload.length} `), payload);
  for (const one of envelope.signatures) {
    const key = keys.find((k) => k.kind === 1 && k.name === found.head.origin && `${k.name}+${k.id}` === one.keyid);
    need(key, "the envelope is signed by a key that is not known");
    need(await signed(key, message, unb64(one.sig, "a signature")), "the signature on the envelope is not valid");
  }
  need(equal(payload, encoder.encode(write(await statement(bundle, found)))), "the statement speaks about something else than this file");
}

async function statement(bundle, { entry, planned, head }) {
  const subjects = [];
  for (const item of bundle.disclosed) {
    const stage = planned[item.ord];
    if (stage && ["answer", "render"].includes(stage[0])) {
      subjects.push({ digest: { sha256: hex(await sha256(item.payload)) }, name: `answer/${stage[1]}` });
    }
  }
  if (!subjects.length) subjects.push({ digest: { sha256: hex(await sha256(bundle.entry)) }, name: "entry" });
  const { dsse, ...rest } = bundle.document;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects,
    predicateType: "urn:firmground:answer:v1",
    predicate: {
      bundle: hex(await sha256(encoder.encode(write(rest)))),
      label: entry.label,
      log: { index: entry.seq, origin: head.origin, size: Number(head.size) },
      run: entry.run,
    },
  };
}

// The file

function readBundle(bytes) {
  need(bytes.length <= MAX_BYTES, "the file is too large");
  let marks = 0, escapes = 0;
  for (const byte of bytes) {
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) marks += 1;
    else if (byte === 0x5c) escapes += 1;
  }
  need(marks <= MAX_MARKS && escapes <= MAX_ESCAPES, "the file has too many parts");
  const document = canonical(bytes, MAX_BYTES, "the file");
  exact(document, ["disclosed", "dsse", "entry", "format", "proof", "stages"], "a bundle");
  need(document.format === "firmground-bundle/1", "the file is of another format");
  need(typeof document.proof === "string" && Array.isArray(document.stages) && Array.isArray(document.disclosed), "proof must be a text, stages and disclosed lists");
  need(Math.max(document.stages.length, document.disclosed.length) <= MAX_STAGES, "a run has fewer stages");
  const disclosed = document.disclosed.map((item) => {
    exact(item, ["ord", "payload", "salt"], "a disclosed payload");
    const salt = unb64(item.salt, "a salt");
    need(Number.isSafeInteger(item.ord) && item.ord >= 0 && salt.length === 32, "a disclosed payload needs an ordinal and a salt");
    return { ord: item.ord, salt, payload: unb64(item.payload, "a payload") };
  });
  need(disclosed.every((item, i) => i === 0 || disclosed[i - 1].ord < item.ord), "disclosed must be in the order of the stages");
  need(document.dsse !== null, "the file carries no signed statement over its parts");
  return {
    document, disclosed, entry: unb64(document.entry, "entry"), dsse: unb64(document.dsse, "dsse"),
    stages: document.stages.map((one, i) => unb64(one, `stages[${i}]`)),
  };
}

async function verified(bytes, texts) {
  const keys = await Promise.all(texts.map(readKey));
  const bundle = readBundle(bytes);
  const { entry, stages: planned, root } = readEntry(bundle.entry);
  const commits = await checkStages(bundle.stages, entry, planned, root);
  await checkDisclosed(bundle.disclosed, entry, planned, commits);
  const proof = await readProof(bundle.document.proof);
  need(proof.index === BigInt(entry.seq), "the proof is for another entry");
  need(await includes(await leafHash(bundle.entry), proof.index, proof.head.size, proof.path, proof.head.root), "the entry is not in the log that the checkpoint describes");
  await checkStatement(bundle, { entry, planned, head: proof.head }, keys);
  const by = await checkSignatures(proof.head, keys);
  const opened = bundle.disclosed.filter((item) => item.ord < planned.length).length;
  return {
    valid: true, reasons: [], run: entry.run, label: entry.label, notProved: NOT_PROVED,
    proved: [
      `All ${planned.length} stages are those of run ${entry.run}, in the order its shape ${entry.shape} demands.`,
      `${opened} of ${planned.length} payloads are disclosed, each is the one that was committed to.`,
      `The run is entry ${entry.seq} of the log ${proof.head.origin}, which had ${proof.head.size} entries when it was signed.`,
      `Signed by ${by.map((key) => `${key.name}+${key.id}`).join(", ")}; a signed statement covers the whole file.`,
      `Verdict ${entry.label.verdict ?? "unknown"}, decision ${entry.label.decision ?? "unknown"}, recorded ${entry.ts}.`,
    ],
  };
}

/** Check an exported run against keys of the caller; never rejects on what the bytes hold. */
export async function verifyBundle(bytes, keys) {
  if (!globalThis.crypto?.subtle) return { valid: false, reasons: ["this browser offers WebCrypto only over HTTPS or on localhost"] };
  try {
    return await verified(bytes, keys);
  } catch (error) {
    if (error instanceof Refused) return { valid: false, reasons: [error.message] };
    if (error?.name === "NotSupportedError") return { valid: false, reasons: ["this browser cannot verify Ed25519 signatures"] };
    return { valid: false, reasons: [`the file cannot be read: ${error?.name ?? "error"}`] };
  }
}
