// The playground: checks shortly after each change, and writes the same check as code.
import { Failed, fail, fragment } from "./console.js";

const form = document.getElementById("try");
const state = document.getElementById("state");
let timer = 0;
let newest = 0;
let shape = "python";

const given = () => {
  const data = new FormData(form);
  const evidence = data.get("evidence").split(/^---$/m).map((piece) => piece.trim()).filter(Boolean);
  return { answer: data.get("answer"), evidence, question: data.get("question").trim() || null, judge: data.get("judge") };
};

const python = (value) => (value === null ? "None" : JSON.stringify(value));

const write = {
  python: ({ answer, evidence, question }) =>
    `import firmground\n\nresult = firmground.check(\n    ${python(answer)},\n    ${python(evidence)},\n    question=${python(question)},\n)\nprint(result.verdict)\nfor claim in result.claims:\n    print(claim.standing, claim.text, claim.reason)\n`,
  curl: ({ answer, evidence, question }) =>
    `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ answer, evidence, question }).replaceAll("'", "'\\''")}' \\\n  ${location.origin}/api/v1/check\n`,
  test: ({ answer, evidence, question }) =>
    `def test_the_answer_stands(firmground_engine):\n    result = firmground_engine.check(\n        ${python(answer)},\n        ${python(evidence)},\n        question=${python(question)},\n    )\n    assert result, result\n`,
};

const snippet = () => { document.getElementById("snippet").textContent = write[shape](given()); };

async function check() {
  const body = given();
  snippet();
  if (!body.answer.trim() || !body.evidence.length) {
    state.textContent = "Write an answer and at least one piece of evidence.";
    return;
  }
  const mine = ++newest;
  state.textContent = "Checking…";
  try {
    const part = await fragment("/console/playground/result", "result", { body });
    if (mine !== newest) return;
    document.getElementById("result").replaceWith(part);
    state.textContent = "";
  } catch (error) {
    if (mine !== newest) return;
    state.textContent = "";
    if (error instanceof Failed) state.textContent = error.message;
    fail(error);
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(check, 400);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  check();
});
form.elements.example.addEventListener("change", (event) => {
  location.assign(`${event.target.dataset.base}?example=${encodeURIComponent(event.target.value)}`);
});
for (const button of form.querySelectorAll("[data-form]")) {
  button.addEventListener("click", () => {
    shape = button.dataset.form;
    for (const one of form.querySelectorAll("[data-form]")) one.setAttribute("aria-pressed", String(one === button));
    snippet();
  });
}
check();
