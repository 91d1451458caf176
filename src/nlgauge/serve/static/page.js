
"use strict";
const find = (id) => document.getElementById(id);

async function asked(path, body) {
  const headers = { "content-type": "application/json" };
  if (find("key").value) headers.authorization = "Bearer " + find("key").value;
  const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(path, options);
  const record = await answer.json();
  if (answer.status === 401) find("lock").hidden = false;
  if (!answer.ok) throw new Error(record.error);
  return record;
}

function say(text, bad) {
  find("status").textContent = text;
  find("status").className = bad ? "bad" : "";
}

// Offers the metrics that compare an answer with its source.
async function offer() {
  const known = (await asked("metrics-list")).metrics.filter((one) => one.reads.includes("source"));
  find("metric").replaceChildren(...known.map((one) => new Option(one.metric)));
  find("metrics").hidden = known.length < 2;
  if (!known.length) say("This service offers no metric that reads a source: start it with -m \"Consistency(aligner='D')\"", true);
}

// Characters are counted as Python counts them, by code points; a string here is counted in halves of some.
function spansOf(text) {
  if (text.unsupported) return text.unsupported;
  return text.words.filter((word) => word.alignment < text.weak).map((word) => [word.begin, word.end]);
}

function nearest(text, span) {
  const word = text.words.find((one) => one.begin >= span[0] && one.begin < span[1] && one.quote !== undefined);
  return word ? text.quotes[word.quote].text : "";
}

function cell(text) {
  const made = document.createElement("td");
  made.textContent = text;
  return made;
}

function show(row) {
  const text = (row.evidence.texts || []).find((one) => one.name === "candidate");
  const characters = Array.from(text ? text.text : find("answer").value);
  const spans = text ? spansOf(text) : [];
  const pieces = [], rows = [];
  let at = 0;
  for (const span of spans) {
    const words = characters.slice(span[0], span[1]).join("");
    const mark = document.createElement("mark");
    mark.textContent = words;
    pieces.push(characters.slice(at, span[0]).join(""), mark);
    at = span[1];
    const line = document.createElement("tr");
    line.append(cell(words), cell(nearest(text, span)));
    rows.push(line);
  }
  find("marked").replaceChildren(...pieces, characters.slice(at).join(""));
  find("rows").replaceChildren(...rows);
  find("spans").hidden = !rows.length;
  const value = Object.values(row.values)[0];
  const score = value === null ? `There is no score: ${row.reason}.` : `Score ${Number(value).toFixed(3)}.`;
  const count = spans.length === 1 ? "1 passage is" : `${spans.length} passages are`;
  find("verdict").textContent = `${score} ${text ? count + " not supported by the source." : ""}`;
  find("result").hidden = false;
  find("result").focus();
}

let busy = false;
async function check(event) {
  event.preventDefault();
  if (busy) return;
  busy = true;
  find("check").setAttribute("aria-disabled", "true");
  find("result").hidden = true;
  say("Checking…");
  try {
    if (!find("metric").value) await offer();
    const row = { candidate: find("answer").value, source: find("source").value };
    const found = await asked("explain", { rows: [row], metric: find("metric").value });
    say("");
    show(found.rows[0]);
  } catch (error) {
    say(error.message, true);
  } finally {
    busy = false;
    find("check").removeAttribute("aria-disabled");
  }
}

find("form").addEventListener("submit", check);
find("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("form").requestSubmit();
});
offer().catch((error) => say(error.message, true));
