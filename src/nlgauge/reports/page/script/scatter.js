// Two scores of every listed row. Points are one path a system, so that ten thousand of them are drawn at once.

const scatterX = byId("scatter-x"), scatterY = byId("scatter-y");
const SIDE = { wide: 560, tall: 400, left: 58, right: 14, top: 10, bottom: 44 };
let cloud = [];
let pointed = -1;

function spanOf(numbers) {
  let low = Infinity, high = -Infinity;
  for (const value of numbers) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

function showScatter() {
  const [x, y] = [Number(scatterX.value), Number(scatterY.value)];
  const places = [];
  for (let place = 0; place < count; place += 1) {
    if (Number.isFinite(values[x][place]) && Number.isFinite(values[y][place])) places.push(place);
  }
  const [left, right] = spanOf(places.map((place) => values[x][place]));
  const [bottom, top] = spanOf(places.map((place) => values[y][place]));
  const across = (value) => SIDE.left + 6 + ((SIDE.wide - SIDE.left - SIDE.right - 12) * (value - left)) / (right - left);
  const up = (value) => SIDE.tall - SIDE.bottom - 6 - ((SIDE.tall - SIDE.top - SIDE.bottom - 12) * (value - bottom)) / (top - bottom);
  cloud = places.map((place) => ({ place, at: across(values[x][place]), over: up(values[y][place]) }));
  cloud.sort((one, other) => one.at - other.at);
  pointed = -1;
  const svg = draw("svg", { viewBox: `0 0 ${SIDE.wide} ${SIDE.tall}`, "aria-hidden": "true" });
  svg.append(draw("path", { class: "axis", fill: "none", d: `M${SIDE.left} ${SIDE.top}V${SIDE.tall - SIDE.bottom}H${SIDE.wide - SIDE.right}` }));
  page.systems.forEach((_, system) => {
    const path = cloud.filter((point) => rows.system[point.place] === system)
      .map((point) => `M${point.at.toFixed(1)} ${point.over.toFixed(1)}h0`).join("");
    if (path) svg.append(draw("path", { class: `points s${system % 8}${count > 1500 ? " many" : ""}`, d: path }));
  });
  labelAxes(svg, x, y, [left, right], [bottom, top], across, up);
  svg.append(draw("circle", { class: "ring", r: 7, visibility: "hidden" }));
  byId("scatter").replaceChildren(svg);
  const r = page.matrix && correlationOf(x, y);
  byId("scatter-said").textContent = `${cloud.length.toLocaleString("en")} rows have both scores.${r ? ` ${r}` : ""}`;
}

function labelAxes(svg, x, y, [left, right], [bottom, top], across, up) {
  const foot = SIDE.tall - SIDE.bottom + 16;
  for (const value of [left, right]) {
    svg.append(draw("text", { x: across(value), y: foot, "text-anchor": value === left ? "start" : "end" }, shownNumber(value, 3)));
  }
  for (const value of [bottom, top]) {
    svg.append(draw("text", { x: SIDE.left - 6, y: up(value) + 4, "text-anchor": "end" }, shownNumber(value, 3)));
  }
  const name = (scale) => `${clipped(page.scales[scale].name, 46)} ${page.scales[scale].up ? "↑" : "↓"}`;
  svg.append(draw("text", { class: "name", x: (SIDE.left + SIDE.wide) / 2, y: SIDE.tall - 8, "text-anchor": "middle" }, name(x)));
  const middle = (SIDE.tall - SIDE.bottom) / 2;
  svg.append(draw("text", { class: "name", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, name(y)));
}

function correlationOf(x, y) {
  const at = [x, y].map((scale) => page.matrix.scales.indexOf(scale));
  if (at.includes(-1) || x === y) return "";
  const value = page.matrix.values[at[0]][at[1]];
  return value === null ? "" : `Pearson correlation ${shownNumber(value, 2)} over all rows, both turned so that higher is better.`;
}

function point(at) {
  pointed = at;
  const ring = byId("scatter").querySelector(".ring");
  if (at < 0) return;
  const { place, at: across, over } = cloud[at];
  ring.setAttribute("visibility", "visible");
  ring.setAttribute("cx", across);
  ring.setAttribute("cy", over);
  const [x, y] = [Number(scatterX.value), Number(scatterY.value)];
  byId("scatter-said").textContent = `Row ${rows.number[place]}, ${page.systems[rows.system[place]]}, ${rows.item[place]}: ${shownNumber(values[x][place])} and ${shownNumber(values[y][place])}`;
}

function nearest(event) {
  const box = byId("scatter").querySelector("svg").getBoundingClientRect();
  const factor = SIDE.wide / box.width;
  const [x, y] = [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
  let best = -1, least = 24 * 24;
  cloud.forEach((one, number) => {
    const far = (one.at - x) ** 2 + (one.over - y) ** 2;
    if (far < least) [best, least] = [number, far];
  });
  return best;
}

function scatterKeys(event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (step && cloud.length) {
    event.preventDefault();
    point(Math.min(cloud.length - 1, Math.max(0, pointed + step)));
  } else if (event.key === "Enter" && pointed >= 0) openRow(cloud[pointed].place);
}

function startScatter() {
  const firsts = page.scales.map((scale, number) => number).filter((number) => page.scales[number].first);
  if (!firsts.length) return;
  const second = firsts[1] ?? page.scales.findIndex((_, number) => number !== firsts[0]);
  if (second < 0) {
    byId("scatter").closest("figure").hidden = true; // one score has nothing to be drawn against
    return;
  }
  optionsOf(scatterX, firsts[0]);
  optionsOf(scatterY, second);
  for (const select of [scatterX, scatterY]) select.addEventListener("change", showScatter);
  byId("scatter-keys").append(...page.systems.map((_, system) => dotted(system)));
  const figure = byId("scatter");
  figure.addEventListener("mousemove", (event) => { const at = nearest(event); if (at >= 0) point(at); });
  figure.addEventListener("click", (event) => { const at = nearest(event); if (at >= 0) { point(at); openRow(cloud[at].place); } });
  figure.addEventListener("keydown", scatterKeys);
  showScatter();
  for (const button of document.querySelectorAll(".matrix button")) button.addEventListener("click", () => showCell(button));
}

function showCell(button) {
  scatterX.value = button.dataset.x;
  scatterY.value = button.dataset.y;
  showScatter();
  byId("scatter").scrollIntoView({ block: "center" });
  byId("scatter").focus({ preventScroll: true });
}
