"use strict";
// A text at a time: its rating, and the words of the answer that nothing supports. Kept in the browser, saved on demand.

const { rows, aspect, scale, id } = JSON.parse(document.getElementById("data").textContent);
const kept = `nlgauge-rating-${id}`;
const element = (name) => document.getElementById(name);
let at = 0;
let word = -1;
// By item: {rating: number or null, marked: [number of word, ...]}.
let rated = {};

const NAMES = { question: "Question", source: "Source", context: "Context", references: "Reference", candidate: "Answer" };
const state = (row) => (rated[row.item] ||= { rating: null, marked: [] });
const done = () => rows.filter((row) => rated[row.item] && rated[row.item].rating !== null).length;
const wordsOf = (text) => [...text.matchAll(/\S+/gu)].map((one) => [one.index, one.index + one[0].length]);
// Python counts characters where a script counts halves of some of them.
const characters = (text, end) => [...text.slice(0, end)].length;

function keep() {
  try {
    localStorage.setItem(kept, JSON.stringify({ rated, at }));
  } catch {
    say("This browser keeps nothing: save before you close the page.");
  }
}

function say(text) {
  element("said").textContent = text;
}

function spans({ candidate }, marked) {
  const words = wordsOf(candidate);
  const found = [];
  for (const number of [...marked].sort((a, b) => a - b)) {
    const last = found[found.length - 1];
    if (last && last.number + 1 === number) Object.assign(last, { number, end: words[number][1] });
    else found.push({ number, begin: words[number][0], end: words[number][1] });
  }
  return found.map(({ begin, end }) => [characters(candidate, begin), characters(candidate, end)]);
}

function records() {
  return rows
    .filter((row) => rated[row.item] && (rated[row.item].rating !== null || rated[row.item].marked.length))
    .map((row) => {
      const { rating, marked } = rated[row.item];
      const scores = rating === null ? {} : { [aspect]: rating };
      return { item: row.item, candidate: row.candidate, scores, spans: spans(row, marked) };
    });
}

function save() {
  const lines = records().map((one) => JSON.stringify(one) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = "rated.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`${lines.length} of ${rows.length} texts were written to rated.jsonl.`);
}

async function open(file) {
  const known = new Map(rows.map((row) => [row.item, row]));
  let read = 0;
  try {
    const lines = (await file.text()).split("\n").filter((line) => line.trim());
    const found = lines.map((line) => JSON.parse(line));
    if (found.some((one) => !known.has(one.item))) throw new Error("it has a text that is not on this page");
    for (const one of found) {
      const row = known.get(one.item);
      const covered = (one.spans || []).map(([begin, end]) => [begin, end]);
      const marked = wordsOf(row.candidate).flatMap(([begin, end], number) => {
        const [from, to] = [characters(row.candidate, begin), characters(row.candidate, end)];
        return covered.some(([a, b]) => a < to && from < b) ? [number] : [];
      });
      rated[row.item] = { rating: one.scores[aspect] ?? null, marked };
      read += 1;
    }
    say(`${read} texts were read from ${file.name}.`);
  } catch (error) {
    say(`${file.name} was not read: ${error.message}.`);
  }
  at = first();
  draw();
}

function first() {
  const open = rows.findIndex((row) => !rated[row.item] || rated[row.item].rating === null);
  return open < 0 ? 0 : open;
}

function answer(row) {
  const text = document.createElement("p");
  const { marked } = state(row);
  let end = 0;
  for (const [number, [begin, stop]] of wordsOf(row.candidate).entries()) {
    text.append(row.candidate.slice(end, begin));
    const one = document.createElement("span");
    one.className = `word${marked.includes(number) ? " marked" : ""}${number === word ? " current" : ""}`;
    one.dataset.number = number;
    one.addEventListener("click", () => getSelection().isCollapsed && toggle([number]));
    one.textContent = row.candidate.slice(begin, stop);
    text.append(one);
    end = stop;
  }
  text.append(row.candidate.slice(end));
  return text;
}

function draw() {
  const row = rows[at];
  const texts = element("texts");
  texts.replaceChildren();
  for (const [name, title] of Object.entries(NAMES)) {
    if (row[name] === undefined) continue;
    const section = document.createElement("section");
    const heading = document.createElement("h2");
    heading.textContent = title;
    let text = document.createElement("p");
    if (name === "candidate") {
      section.className = "answer";
      text = answer(row);
    } else text.textContent = row[name];
    if (name !== "candidate") text.tabIndex = 0;
    text.dir = "auto";
    section.append(heading, text);
    texts.append(section);
  }
  for (const button of element("rate").children) {
    button.setAttribute("aria-pressed", String(state(row).rating === Number(button.textContent)));
  }
  element("progress").max = rows.length;
  element("progress").value = done();
  element("count").textContent = `Text ${at + 1} of ${rows.length}, ${done()} rated`;
  keep();
}

function go(step) {
  at = Math.min(rows.length - 1, Math.max(0, at + step));
  word = -1;
  draw();
}

function rate(rating) {
  state(rows[at]).rating = rating;
  if (done() === rows.length) say("All texts are rated: save them.");
  go(1);
}

function toggle(numbers) {
  const one = state(rows[at]);
  const all = numbers.every((number) => one.marked.includes(number));
  one.marked = one.marked.filter((number) => !numbers.includes(number)).concat(all ? [] : numbers);
  draw();
}

function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return [];
  return [...document.querySelectorAll(".word")]
    .filter((one) => selection.containsNode(one, true))
    .map((one) => Number(one.dataset.number));
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const count = wordsOf(rows[at].candidate).length;
  const acts = {
    ArrowRight: () => go(1),
    ArrowLeft: () => go(-1),
    w: () => { word = Math.min(count - 1, word + 1); draw(); },
    b: () => { word = Math.max(0, word - 1); draw(); },
    u: () => { const numbers = selected(); getSelection().removeAllRanges(); if (numbers.length) toggle(numbers); },
    s: save,
    Backspace: () => { state(rows[at]).rating = null; draw(); },
  };
  let act = acts[event.key];
  if (event.key === " " && word >= 0 && !event.target.matches("button")) act = () => toggle([word]);
  if (/^[0-9]$/.test(event.key) && scale.includes(Number(event.key))) act = () => rate(Number(event.key));
  if (!act) return;
  event.preventDefault();
  act();
}

for (const rating of scale) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = rating;
  button.addEventListener("click", () => rate(rating));
  element("rate").append(button);
}
element("back").addEventListener("click", () => go(-1));
element("on").addEventListener("click", () => go(1));
element("save").addEventListener("click", save);
element("open").addEventListener("change", (event) => event.target.files.length && open(event.target.files[0]));
document.addEventListener("keydown", press);
try {
  const before = JSON.parse(localStorage.getItem(kept));
  if (before) ({ rated, at } = before);
} catch {
  say("This browser keeps nothing: save before you close the page.");
}
draw();
