// One row, whole: its scores, what they are based on, its texts, and what other systems wrote.

const dialog = byId("detail");
let open = -1;
let looked = "";

function openRow(place) {
  open = place;
  byId("d-title").replaceChildren(dotted(rows.system[place]), ", ", make("bdi", {}, rows.item[place]));
  byId("d-where").textContent = `Row ${rows.number[place].toLocaleString("en")} of ${page.total.toLocaleString("en")}`;
  const evidence = evidenceOf(place);
  if (!(looked in evidence)) looked = likeliest(evidence);
  showScores(place, evidence);
  showEvidence(place, evidence);
  showTexts(place, !looked);
  showOthers(place);
  const at = found.indexOf(place);
  byId("d-back").disabled = at <= 0;
  byId("d-next").disabled = at < 0 || at + 1 >= found.length;
  history.replaceState(null, "", `#row-${rows.number[place]}`);
  if (!dialog.open) dialog.showModal();
  byId("d-body").scrollTop = 0;
  byId("d-title").focus();
}

// What is looked at first: words that are not supported, else any words, else whatever there is.
function likeliest(evidence) {
  const metrics = Object.keys(evidence);
  const with_ = (mark) => metrics.find((metric) => evidence[metric].includes(mark));
  return with_("class=\"w no\"") || with_("class=\"w ") || metrics[0] || "";
}

function evidenceOf(place) {
  const own = {};
  for (const [metric, drawn] of Object.entries(rows.evidence.of)) if (drawn[place]) own[metric] = drawn[place];
  return own;
}

function showScores(place, evidence) {
  const boxes = page.scales.map((scale, number) => ({ scale, number })).filter(({ scale }) => scale.first).map(({ scale, number }) => {
    const parts = page.scales.map((other, at) => ({ other, at })).filter(({ other, at }) => scale.metric && other.metric === scale.metric && at !== number);
    const why = rows.reasons.find((one) => one.metric === scale.metric && one.rows.includes(place));
    const rest = why ? why.why : parts.map(({ other, at }) => `${other.part} ${shownNumber(values[at][place], 3)}`).join("  ");
    const said = [make("small", {}, `${scale.name} ${scale.up ? "↑" : "↓"}`), make("b", {}, shownNumber(values[number][place])), rest ? make("small", {}, rest) : null];
    if (!(scale.metric in evidence)) return make("div", {}, ...said);
    const choose = () => { looked = scale.metric; showScores(place, evidence); showEvidence(place, evidence); showTexts(place, false); };
    return make("button", { type: "button", "aria-pressed": String(scale.metric === looked), onclick: choose }, ...said);
  });
  const pressed = document.activeElement && byId("d-scores").contains(document.activeElement);
  byId("d-scores").replaceChildren(...boxes);
  if (pressed) byId("d-scores").querySelector("[aria-pressed=true]")?.focus();
}

function showEvidence(place, evidence) {
  byId("d-on").textContent = looked ? `Why ${looked} gave this score` : "Texts";
  const target = byId("d-evidence");
  target.innerHTML = evidence[looked] || ""; // made by the report's own template, every text in it escaped
  reachable(target);
}

function showTexts(place, opened) {
  const panes = [["output", textOf(place, CANDIDATE)], ["source", textOf(place, SOURCE)], ["context", textOf(place, CONTEXT)],
    ...referencesOf(place).map((text, number, all) => [all.length > 1 ? `reference ${number + 1}` : "reference", text])].filter(([name, text]) => text !== "" || name === "output");
  const drawn = make("div", { class: "panes" }, ...panes.map(([name, text]) => make("div", { class: "pane" }, make("h4", {}, name), make("p", { class: "text", dir: "auto" }, text))));
  const none = rows.has[place].every((one) => one === null);
  const what = none ? make("p", { class: "small" }, "This page was made without the texts of this row.") : drawn;
  drawn.classList.toggle("brief", !opened); // beside evidence, which has to be seen too
  if (!opened) for (const text of drawn.querySelectorAll(".text")) {
    text.tabIndex = 0; // it may be longer than its pane, and is moved by keys
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", text.previousElementSibling.textContent);
  }
  byId("d-texts").replaceChildren(what);
}

function showOthers(place) {
  const same = [];
  for (let other = 0; other < count; other += 1) if (other !== place && rows.item[other] === rows.item[place]) same.push(other);
  const target = byId("d-others");
  if (!same.length) return target.replaceChildren();
  const scale = Math.max(0, page.scales.findIndex((one) => one.metric === looked && one.first));
  const line = (other) => make("tr", {}, make("th", { scope: "row" }, rowLink(other, page.systems[rows.system[other]])),
    make("td", { dir: "auto" }, textOf(other, CANDIDATE)), make("td", { class: "num" }, shownNumber(values[scale] ? values[scale][other] : NaN)));
  return target.replaceChildren(make("h3", {}, "The same item by other systems"), make("div", { class: "wide" }, make("table", { class: "grid" },
    make("thead", {}, make("tr", {}, ...["system", "output", page.scales[scale] ? page.scales[scale].name : ""].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...same.map(line)))));
}

function besides(step) {
  const next = found[found.indexOf(open) + step];
  if (open >= 0 && next !== undefined && found.includes(open)) openRow(next);
}

function fromAddress() {
  const asked = /^#row-(\d+)$/.exec(location.hash);
  if (!asked) return;
  const place = placeOf.get(Number(asked[1]));
  if (place !== undefined) openRow(place);
}

function startDetail() {
  byId("d-close").addEventListener("click", () => dialog.close());
  byId("d-back").addEventListener("click", () => besides(-1));
  byId("d-next").addEventListener("click", () => besides(1));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { open = -1; history.replaceState(null, "", "#rows"); });
  dialog.addEventListener("keydown", (event) => {
    const own = event.target.closest(".wide, .text"); // where arrows go from word to word, or move what is wider
    if (event.key === "n" || (event.key === "ArrowRight" && !own)) besides(1);
    else if (event.key === "p" || (event.key === "ArrowLeft" && !own)) besides(-1);
  });
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
}
