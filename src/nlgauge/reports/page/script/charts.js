// How the scores of each system spread. A bar filters the list of rows.

const histBy = byId("hist-by");
const narrow = matchMedia("(max-width: 40rem)"); // where the letters of a figure are larger
const WIDE = 560, LEFT = 112, RIGHT = 14;
const BAND = Math.min(118, Math.max(58, 354 / page.systems.length));

function showHistogram() {
  const scale = Number(histBy.value);
  const found = page.spread[scale];
  const figure = byId("hist");
  if (!found) {
    figure.replaceChildren(make("p", { class: "small" }, "No row has a finite value."));
    return;
  }
  const { edges, systems } = found;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const across = (value) => LEFT + ((WIDE - LEFT - RIGHT) * (value - low)) / (high - low || 1);
  const most = Math.max(1, ...systems.flatMap((system) => system.counts));
  const tall = systems.length * BAND + 26;
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${tall}`, role: "group", "aria-label": `${page.scales[scale].name} by system. Arrow keys go from bar to bar.` });
  systems.forEach((system, number) => {
    const base = (number + 1) * BAND - 6;
    const name = draw("text", { x: 0, y: base - (narrow.matches ? 22 : 14), class: "name" }, clipped(page.systems[number], narrow.matches ? 10 : 15));
    const size = draw("text", { x: 0, y: base }, `${system.n.toLocaleString("en")} rows`);
    svg.append(name, size, draw("line", { class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: base, y2: base }));
    system.counts.forEach((many, bin) => {
      if (many) svg.append(binOf(scale, number, bin, many, edges, across, base, most));
    });
    if (system.mean !== null) {
      svg.append(draw("line", { class: "mean", x1: across(system.mean), x2: across(system.mean), y1: base - BAND + 16, y2: base + 3 }));
    }
  });
  for (const part of [0, 0.5, 1]) {
    const value = low + part * (high - low);
    svg.append(draw("text", { x: across(value), y: tall - 6, "text-anchor": ["start", "middle", "end"][part * 2] }, shownNumber(value, 3)));
  }
  const first = svg.querySelector(".bin");
  if (first) first.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", binKeys);
  figure.replaceChildren(svg);
  byId("hist-said").textContent = `Upright lines are means. ${page.scales[scale].up ? "Higher" : "Lower"} is better. Every row that has this score counts.`;
}

function binOf(scale, system, bin, many, edges, across, base, most) {
  const [from, to] = [edges[bin], edges[bin + 1]];
  const height = Math.max(1.5, ((BAND - 18) * many) / most);
  const said = `${page.systems[system]}: ${many} ${many === 1 ? "row" : "rows"} from ${shownNumber(from)} to ${shownNumber(to)}`;
  const bar = draw("rect", {
    class: `bin s${system % 8}`, x: across(from) + 0.5, width: Math.max(1, across(to) - across(from) - 1), y: base - height, height,
    role: "button", tabindex: "-1", "aria-label": said,
  }, draw("title", {}, said));
  const choose = () => filterTo(system, scale, from, to);
  bar.addEventListener("click", choose);
  bar.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  return bar;
}

function binKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const bins = [...event.currentTarget.querySelectorAll(".bin")];
  const next = bins[bins.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  for (const bin of bins) bin.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

function clipped(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

function startHistogram() {
  optionsOf(histBy, page.scales.findIndex((scale) => scale.first));
  histBy.addEventListener("change", showHistogram);
  narrow.addEventListener("change", () => histBy.options.length && showHistogram());
  if (histBy.options.length) showHistogram();
}
