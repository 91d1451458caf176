// Which rows are listed, and in which order.

const form = { text: byId("f-text"), system: byId("f-system"), order: byId("f-order"), scale: byId("f-scale"), low: byId("f-low"), high: byId("f-high"), reason: byId("f-reason") };
const lowered = [];
let found = [];

function textsWith(words) {
  if (!lowered.length) for (const text of rows.texts) lowered.push(text.toLocaleLowerCase());
  return lowered.map((text) => text.includes(words));
}

function matching() {
  const words = form.text.value.trim().toLocaleLowerCase();
  const inText = words ? textsWith(words) : null;
  const system = form.system.value === "" ? -1 : Number(form.system.value);
  const scale = values[Number(form.scale.value)] || [];
  const low = form.low.value === "" ? -Infinity : Number(form.low.value);
  const high = form.high.value === "" ? Infinity : Number(form.high.value);
  const ranged = form.low.value !== "" || form.high.value !== "";
  const without = form.reason.value === "" ? null : new Set(rows.reasons[Number(form.reason.value)].rows);
  const places = [];
  for (let place = 0; place < count; place += 1) {
    if (system >= 0 && rows.system[place] !== system) continue;
    if (without && !without.has(place)) continue;
    if (ranged && !(scale[place] >= low && scale[place] <= high)) continue;
    if (inText && !hasText(place, inText) && !rows.item[place].toLocaleLowerCase().includes(words)) continue;
    places.push(place);
  }
  return places;
}

function hasText(place, inText) {
  const [candidate, source, context, references] = rows.has[place];
  if (candidate !== null && inText[candidate]) return true;
  if (source !== null && inText[source]) return true;
  if (context !== null && inText[context]) return true;
  return references !== null && references.some((number) => inText[number]);
}

function ordered(places) {
  const by = { worst: [standing, 1], best: [standing, -1], disputed: [disputed, -1], low: [values[Number(form.scale.value)], 1], high: [values[Number(form.scale.value)], -1] }[form.order.value];
  if (!by || !by[0]) return places;
  const [column, sign] = by;
  const known = (place) => !Number.isNaN(column[place]);
  return places.sort((a, b) => known(b) - known(a) || (known(a) ? sign * (column[a] - column[b]) : 0) || a - b);
}

function applyFilter() {
  found = ordered(matching());
  const listed = found.length === count ? "" : ` of ${count.toLocaleString("en")} listed`;
  byId("f-said").textContent = `${found.length.toLocaleString("en")}${listed} ${found.length === 1 ? "row" : "rows"}`;
  showList(0);
}

function filterTo(system, scale, low, high) {
  byId("f-reset").form.reset();
  form.system.value = String(system);
  form.scale.value = String(scale);
  form.low.value = String(low);
  form.high.value = String(high);
  form.order.value = "low";
  applyFilter();
  byId("rows").scrollIntoView();
  byId("list").querySelector("a, button")?.focus({ preventScroll: true });
}

function startFilter() {
  page.systems.forEach((name, number) => form.system.append(new Option(name, number)));
  const orders = { file: "as in the file", worst: "worst first, all metrics", best: "best first, all metrics", disputed: "most disputed first", low: "score, lowest first", high: "score, highest first" };
  for (const [value, name] of Object.entries(orders)) form.order.append(new Option(name, value));
  optionsOf(form.scale, page.scales.findIndex((scale) => scale.first));
  rows.reasons.forEach((one, number) => form.reason.append(new Option(`${one.metric}: ${one.why} (${one.rows.length})`, number)));
  form.reason.closest("label").hidden = !rows.reasons.length;
  const soon = later(applyFilter, 60);
  for (const field of Object.values(form)) field.addEventListener("input", field === form.text ? soon : applyFilter);
  byId("f-reset").form.addEventListener("reset", () => setTimeout(applyFilter));
  byId("f-reset").form.addEventListener("submit", (event) => event.preventDefault());
  applyFilter();
}
