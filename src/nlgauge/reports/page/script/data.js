"use strict";
// What the page knows, and how it is shown. Texts become text nodes, never markup; evidence alone is markup, made and
// escaped where the page was made.

const page = JSON.parse(document.getElementById("data").textContent);
const rows = page.rows;
const count = rows.number.length;
const values = rows.values.map((column) => column.map((value) => (value === null ? NaN : Number(value))));
const standing = rows.standing.map((value) => (value === null ? NaN : Number(value)));
const disputed = rows.disputed.map((value) => (value === null ? NaN : Number(value)));
const placeOf = new Map(rows.number.map((number, place) => [number, place]));
const CANDIDATE = 0, SOURCE = 1, CONTEXT = 2, REFERENCES = 3;

const byId = (id) => document.getElementById(id);

function shownNumber(value, digits = 4) {
  if (value === null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1e9 || (digits >= 4 && size >= 1e-12 && size < 0.5 * 10 ** -digits)) {
    return value.toExponential(2).replace(/\.?0+e/, "e").replace(/-/g, "−");
  }
  const places = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : digits;
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places }).replace("-", "−");
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function textOf(place, which) {
  const number = rows.has[place][which];
  return number === null || number === undefined ? "" : rows.texts[number];
}

function referencesOf(place) {
  return (rows.has[place][REFERENCES] || []).map((number) => rows.texts[number]);
}

function dotted(system) {
  return make("span", {}, make("span", { class: `dot s${system % 8}`, "aria-hidden": "true" }),
    make("bdi", {}, page.systems[system]));
}

function optionsOf(select, chosen, only = () => true) {
  page.scales.forEach((scale, number) => {
    if (only(scale, number)) select.append(new Option(scale.name, number, false, number === chosen));
  });
}

function later(work, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}
