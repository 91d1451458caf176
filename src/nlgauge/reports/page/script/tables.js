// Pairs: one is shown at a time, with the items that differ most.

const pairs = [...document.querySelectorAll("[data-pair]")];
const pairChoice = byId("pair-choice");
const differBy = byId("differ-by");

function showPair() {
  for (const pair of pairs) pair.hidden = pair.dataset.pair !== pairChoice.value;
  showDiffering();
}

function showDiffering() {
  const pair = pairs.find((one) => !one.hidden);
  const [a, b] = [pair.dataset.a, pair.dataset.b].map((name) => page.systems.indexOf(name));
  const scale = Number(differBy.value);
  const own = new Map();
  for (let place = 0; place < count; place += 1) if (rows.system[place] === a) own.set(rows.item[place], place);
  const found = [];
  for (let place = 0; place < count; place += 1) {
    if (rows.system[place] !== b || !own.has(rows.item[place])) continue;
    const first = own.get(rows.item[place]);
    const difference = values[scale][first] - values[scale][place];
    if (Number.isFinite(difference) && difference !== 0) found.push({ first, second: place, difference });
  }
  found.sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
  const table = byId("differ");
  const better = (one) => ((one.difference > 0) === page.scales[scale].up ? a : b);
  table.tHead.replaceChildren(make("tr", {}, ...["item", page.systems[a], page.systems[b], "difference", "better"].map(
    (name, number) => make("th", { scope: "col", class: number > 0 && number < 4 ? "num" : "" }, name))));
  table.tBodies[0].replaceChildren(...found.slice(0, 8).map((one) => make("tr", {},
    make("th", { scope: "row" }, make("bdi", {}, rows.item[one.first])),
    make("td", { class: "num" }, rowLink(one.first, shownNumber(values[scale][one.first]))),
    make("td", { class: "num" }, rowLink(one.second, shownNumber(values[scale][one.second]))),
    make("td", { class: "num" }, shownNumber(one.difference)),
    make("td", {}, dotted(better(one))))));
  if (!found.length) table.tBodies[0].append(make("tr", {}, make("td", { colspan: 5 }, "No item differs by this score.")));
}

function rowLink(place, said) {
  return make("a", { href: `#row-${rows.number[place]}` }, said);
}

function startPairs() {
  if (!pairs.length) return;
  optionsOf(differBy, page.scales.findIndex((scale) => scale.first), (scale) => !scale.detail);
  pairChoice.addEventListener("change", showPair);
  differBy.addEventListener("change", showDiffering);
  if (differBy.options.length) showPair();
  else {
    document.querySelector(".differ").hidden = true;
    for (const pair of pairs) pair.hidden = pair.dataset.pair !== pairChoice.value;
    pairChoice.addEventListener("change", () => { for (const pair of pairs) pair.hidden = pair.dataset.pair !== pairChoice.value; });
  }
}
