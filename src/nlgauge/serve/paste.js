
"use strict";
const EXAMPLE = {
  question: "What does a late return cost?",
  source: "Late returns cost two crowns a day for each item, and at most twenty crowns. Children pay nothing.\n\n"
    + "Lockers stand beside the entrance of the reading room. They take a coin.",
  answer: "A late return costs five crowns a day for each item. Children pay nothing.",
};
const find = (id) => document.getElementById(id);
const SAID = JSON.parse(find("said").textContent);

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

// Offers the metrics that compare an answer with its source. Those with a probability have a verdict.
const gates = new Set();
async function offer() {
  const known = (await asked("metrics-list")).metrics.filter((one) => one.reads.includes("source"));
  for (const one of known) if (one.parts.includes("probability")) gates.add(one.metric);
  known.sort((one, other) => gates.has(other.metric) - gates.has(one.metric));
  find("metric").replaceChildren(...known.map((one) => new Option(one.metric)));
  find("metrics").hidden = known.length < 2;
  if (!known.length) say("This service offers no metric that reads a source: start it with -m Faithfulness", true);
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

function made(tag, text, kind) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

function line(...cells) {
  const row = document.createElement("tr");
  row.append(...cells);
  return row;
}

// The answer with words marked, and a line for each of them.
function mark(text, spans, nearest) {
  const characters = Array.from(text), pieces = [], rows = [];
  let end = 0;
  for (const span of spans) {
    const words = characters.slice(span[0], span[1]).join("");
    const marked = made("mark", words, "unsupported");
    marked.title = "not supported";
    pieces.push(characters.slice(end, span[0]).join(""), marked);
    end = span[1];
    if (nearest) rows.push(line(made("td", words), made("td", nearest(span))));
  }
  find("marked").replaceChildren(...pieces, characters.slice(end).join(""));
  find("rows").replaceChildren(...rows);
  find("spans").hidden = !rows.length;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function show(heading, state, why, claims, quotes) {
  find("heading").replaceChildren(...heading);
  find("result").className = `row ${state}`;
  find("verdict").textContent = why;
  find("verdict").hidden = !why;
  find("claimed").replaceChildren(...claims);
  find("claims").hidden = !claims.length;
  find("quotes").replaceChildren(...quotes.map((quote) => made("li", quote)));
  find("read").hidden = !quotes.length;
  find("before").hidden = true;
  find("result").hidden = false;
  find("result").focus();
}

// The verdict of a gate, as on its page.
function showVerdict(row) {
  const text = row.unsupported.find((one) => one.name === "candidate");
  mark(row.answer || find("answer").value, text ? text.spans : []);
  const about = ["cannot say", "doubtful", "other words"].includes(row.finding) ? "" : SAID[row.finding];
  const why = about && row.why.startsWith(about) ? row.why.slice(about.length).replace(/^: /, "")
    : row.why.replace(/^cannot say: /, "");
  const chance = row.value === null ? "" : `Probability that the answer holds: ${row.value.toFixed(2)}.`;
  const open = row.state === "failed" || row.state === "doubtful";
  const claims = open ? row.claims.map((claim) => line(
    made("td", claim.text), made("td", claim.quote || "no sentence that shares a word"),
    made("td", claim.probability.toFixed(2), "num"))) : [];
  const heading = [made("b", capital(row.finding), `state ${row.state}`), made("span", about && ` ${capital(about)}.`)];
  show(heading, row.state, [why && `${capital(why)}.`, chance].filter(Boolean).join(" "), claims, row.quotes);
}

function showScore(row) {
  const text = (row.evidence.texts || []).find((one) => one.name === "candidate");
  const spans = text ? spansOf(text) : [];
  mark(text ? text.text : find("answer").value, spans, (span) => nearest(text, span));
  const value = Object.values(row.values)[0];
  const score = value === null ? `There is no score: ${row.reason}.` : `Score ${Number(value).toFixed(3)}.`;
  const count = spans.length === 1 ? "1 passage is" : `${spans.length} passages are`;
  show([made("span", score)], "", text ? `${count} not supported by the source.` : "", [], []);
}

let busy = false;
async function check(event) {
  event.preventDefault();
  if (busy) return;
  busy = true;
  find("check").setAttribute("aria-disabled", "true");
  find("result").hidden = true;
  find("before").hidden = false;
  say("Checking…");
  try {
    if (!find("metric").value) await offer();
    const row = { candidate: find("answer").value, source: find("source").value };
    if (find("question").value.trim()) row.question = find("question").value;
    const metric = find("metric").value, gate = gates.has(metric);
    const found = await asked(gate ? "check" : "explain", { rows: [row], metric, ...(gate && { grounded: true }) });
    say("");
    (gate ? showVerdict : showScore)(found.rows[0]);
  } catch (error) {
    say(error.message, true);
  } finally {
    busy = false;
    find("check").removeAttribute("aria-disabled");
  }
}

find("form").addEventListener("submit", check);
find("example").addEventListener("click", () => {
  for (const [name, text] of Object.entries(EXAMPLE)) find(name).value = text;
  find("check").focus();
});
find("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("form").requestSubmit();
});
offer().catch((error) => say(error.message, true));
