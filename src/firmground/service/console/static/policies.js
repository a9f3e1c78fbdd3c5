// Curves of a labelled file that the reader chooses.
import { Failed, busy, fragment } from "./console.js";

function row(line, number) {
  let value;
  try { value = JSON.parse(line); } catch { throw new Failed(`Line ${number} is not JSON.`); }
  const risk = Number(value?.risk ?? value?.score);
  const wrong = value?.wrong ?? (typeof value?.label === "boolean" ? !value.label : undefined);
  if (!(risk >= 0 && risk <= 1) || typeof wrong !== "boolean") throw new Failed(`Line ${number} needs risk (0 to 1) and wrong (true or false).`);
  return { risk, wrong };
}

document.getElementById("curves").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.target.querySelector("button"), async () => {
    const text = await event.target.elements.file.files[0].text();
    const lines = text.split("\n").map((line, i) => [line, i + 1]).filter(([line]) => line.trim());
    if (!lines.length) throw new Failed("The file is empty.");
    if (lines.length > 20000) throw new Failed(`The file has ${lines.length} rows; at most 20,000 are drawn.`);
    const rows = lines.map(([line, number]) => row(line, number));
    document.getElementById("drawn").replaceWith(await fragment("/console/policies/curves", "drawn", { body: { rows } }));
  });
});
