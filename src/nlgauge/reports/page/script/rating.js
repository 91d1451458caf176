"use strict";
// A text at a time: its ratings, and the words of the answer that nothing supports. Kept in the browser, saved on demand.

const { rows, aspects, id } = JSON.parse(document.getElementById("data").textContent);
const kept = `nlgauge-rating-${id}`;
const element = (name) => document.getElementById(name);
let at = 0;
let word = -1;
// The aspect that the next key rates, by its place.
let asked = 0;
// By item: {ratings: {aspect: number}, marked: [number of word, ...]}.
let rated = {};

const NAMES = { question: "Question", source: "Source", context: "Context", references: "Reference", candidate: "Answer" };
const state = (row) => (rated[row.item] ||= { ratings: {}, marked: [] });
const missing = (row) => aspects.findIndex(({ name }) => rated[row.item]?.ratings[name] === undefined);
const done = () => rows.filter((row) => missing(row) < 0).length;
const wordsOf = (text) => [...text.matchAll(/\S+/gu)].map((one) => [one.index, one.index + one[0].length]);
// Python counts characters where a script counts halves of some of them.
const characters = (text, end) => [...text.slice(0, end)].length;

function keep() {
  try {
    localStorage.setItem(kept, JSON.stringify({ rated, at, rater: element("rater").value }));
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
  const rater = element("rater").value.trim();
  return rows
    .filter((row) => rated[row.item] && (Object.keys(rated[row.item].ratings).length || rated[row.item].marked.length))
    .map((row) => {
      const { item, digest, candidate } = row;
      const { ratings, marked } = rated[item];
      return { item, digest, ...(rater && { rater }), candidate, scores: ratings, spans: spans(row, marked) };
    });
}

function save() {
  const lines = records().map((one) => JSON.stringify(one) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  const rater = element("rater").value.trim().replace(/[^\p{L}\p{N}]+/gu, "-");
  link.download = rater ? `ratings-${rater}.jsonl` : "ratings.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`${lines.length} of ${rows.length} texts were written to ${link.download}.`);
}

async function open(file) {
  const known = new Map(rows.map((row) => [row.item, row]));
  let read = 0;
  try {
    const lines = (await file.text()).split("\n").filter((line) => line.trim());
    const found = lines.map((line) => JSON.parse(line));
    if (found.some((one) => !known.has(one.item))) throw new Error("it has a text that is not on this page");
    if (found.some((one) => one.digest !== known.get(one.item).digest)) throw new Error("it is of another draw");
    for (const one of found) {
      const row = known.get(one.item);
      const covered = (one.spans || []).map(([begin, end]) => [begin, end]);
      const marked = wordsOf(row.candidate).flatMap(([begin, end], number) => {
        const [from, to] = [characters(row.candidate, begin), characters(row.candidate, end)];
        return covered.some(([a, b]) => a < to && from < b) ? [number] : [];
      });
      rated[row.item] = { ratings: one.scores, marked };
      if (one.rater) element("rater").value = one.rater;
      read += 1;
    }
    say(`${read} texts were read from ${file.name}.`);
  } catch (error) {
    say(`${file.name} was not read: ${error.message}.`);
  }
  at = first();
  go(0);
}

function first() {
  const open = rows.findIndex((row) => missing(row) >= 0);
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
  for (const [place, group] of [...element("rate").children].entries()) {
    group.classList.toggle("asked", aspects.length > 1 && place === asked);
    for (const button of group.querySelectorAll("button")) {
      const pressed = state(row).ratings[aspects[place].name] === Number(button.dataset.rating);
      button.setAttribute("aria-pressed", String(pressed));
    }
  }
  element("progress").max = rows.length;
  element("progress").value = done();
  element("count").textContent = `Text ${at + 1} of ${rows.length}, ${done()} rated`;
  keep();
}

function go(step) {
  at = Math.min(rows.length - 1, Math.max(0, at + step));
  word = -1;
  asked = Math.max(0, missing(rows[at]));
  draw();
}

function rate(rating) {
  state(rows[at]).ratings[aspects[asked].name] = rating;
  if (done() === rows.length) say("All texts are rated: save them.");
  if (missing(rows[at]) < 0) return go(1);
  asked = missing(rows[at]);
  draw();
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
    a: () => { asked = (asked + 1) % aspects.length; draw(); },
    Backspace: () => { delete state(rows[at]).ratings[aspects[asked].name]; draw(); },
  };
  let act = acts[event.key];
  if (event.key === " " && word >= 0 && !event.target.matches("button")) act = () => toggle([word]);
  if (/^[0-9]$/.test(event.key) && aspects[asked].scale.some(({ rating }) => rating === Number(event.key))) act = () => rate(Number(event.key));
  if (!act) return;
  event.preventDefault();
  act();
}

for (const [place, { name, scale }] of aspects.entries()) {
  const group = document.createElement("div");
  group.role = "group";
  group.ariaLabel = `Rating of ${name}`;
  if (aspects.length > 1) {
    const title = document.createElement("span");
    title.textContent = name;
    group.append(title);
  }
  for (const { rating, names } of scale) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.rating = rating;
    button.textContent = [rating, names.join(", ")].join(" ").trim();
    button.addEventListener("click", () => { asked = place; rate(rating); });
    group.append(button);
  }
  element("rate").append(group);
}
element("back").addEventListener("click", () => go(-1));
element("on").addEventListener("click", () => go(1));
element("save").addEventListener("click", save);
element("open").addEventListener("change", (event) => event.target.files.length && open(event.target.files[0]));
element("rater").addEventListener("input", keep);
document.addEventListener("keydown", press);
try {
  const before = JSON.parse(localStorage.getItem(kept));
  if (before) ({ rated, at } = before);
  if (before) element("rater").value = before.rater;
} catch {
  say("This browser keeps nothing: save before you close the page.");
}
go(0);
