// The list of rows, a page at a time.

const PAGE = 25;
let pageAt = 0;

function shownScales() {
  const firsts = page.scales.map((scale, number) => number).filter((number) => page.scales[number].first);
  const chosen = Number(form.scale.value);
  const some = firsts.slice(0, 6);
  return some.includes(chosen) || !page.scales[chosen] ? some : [...some.slice(0, 5), chosen];
}

function showList(at) {
  pageAt = at;
  const scales = shownScales();
  const table = byId("list");
  const heads = ["row", "system", "item", ...(rows.texts.length ? ["output"] : [])];
  table.tHead.replaceChildren(make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name)), ...scales.map(scaleHead)));
  const listed = found.slice(at * PAGE, (at + 1) * PAGE);
  table.tBodies[0].replaceChildren(...listed.map((place) => listLine(place, scales)));
  if (!listed.length) table.tBodies[0].append(make("tr", {}, make("td", { colspan: 4 + scales.length }, "No row is like this.")));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  byId("p-said").textContent = `Page ${at + 1} of ${pages.toLocaleString("en")}`;
  byId("p-back").disabled = at === 0;
  byId("p-next").disabled = at + 1 >= pages;
}

function scaleHead(scale) {
  const sorted = Number(form.scale.value) === scale && { low: "ascending", high: "descending" }[form.order.value];
  const arrow = sorted ? (sorted === "ascending" ? " ▲" : " ▼") : "";
  const button = make("button", { type: "button", onclick: () => sortBy(scale), title: `Sort by ${page.scales[scale].name}` }, page.scales[scale].short + arrow);
  return make("th", { scope: "col", class: "num", "aria-sort": sorted || null }, button);
}

function sortBy(scale) {
  const again = Number(form.scale.value) === scale;
  const worst = page.scales[scale].up ? "low" : "high";
  const best = page.scales[scale].up ? "high" : "low";
  form.order.value = again && form.order.value === worst ? best : worst;
  form.scale.value = String(scale);
  applyFilter();
  byId("list").querySelector("th[aria-sort] button")?.focus();
}

function listLine(place, scales) {
  const text = textOf(place, CANDIDATE);
  const line = make("tr", {},
    make("th", { scope: "row" }, make("a", { href: `#row-${rows.number[place]}`, "aria-label": `Open row ${rows.number[place]}` }, rows.number[place].toLocaleString("en"))),
    make("td", { class: "sys" }, dotted(rows.system[place])),
    make("td", { class: "item" }, make("bdi", {}, rows.item[place])),
    rows.texts.length ? make("td", { class: "snippet" }, make("span", { class: "snip", dir: "auto" }, clipped(text, 300))) : null,
    ...scales.map((scale) => make("td", { class: "num", "data-name": page.scales[scale].short }, shownNumber(values[scale][place]))));
  line.addEventListener("click", (event) => { if (!event.target.closest("a")) openRow(place); });
  return line;
}

function startList() {
  byId("p-back").addEventListener("click", () => showList(pageAt - 1));
  byId("p-next").addEventListener("click", () => showList(pageAt + 1));
}
