"use strict";
// Filters and keys of the gate's page. Without a script the page shows all rows.
(() => {
  const rows = [...document.querySelectorAll("article.row")];
  const form = document.querySelector("form.chips");
  const search = form.querySelector("input");
  const said = form.querySelector("[role=status]");
  form.hidden = false;
  document.querySelector(".keys").hidden = false;
  let only = null;
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = (only === null || row.dataset.of.split("|").includes(only)) && words.every((word) => text.includes(word));
      row.hidden = !fits;
      count += fits;
    }
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.of === only));
    said.textContent = count === rows.length ? "" : `${count} of ${rows.length} shown`;
  };
  const choose = (name) => {
    only = only === name ? null : name;
    show();
  };
  const move = (step) => {
    const seen = rows.filter((row) => !row.hidden);
    const at = seen.indexOf(document.activeElement.closest("article.row"));
    const next = seen[Math.min(seen.length - 1, Math.max(0, at + step))];
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => {
    if (event.target.dataset.of) choose(event.target.dataset.of);
  });
  search.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") search.blur();
      return;
    }
    if (event.target.matches("input")) return;
    const acts = { j: () => move(1), k: () => move(-1), f: () => choose("fails"), "/": () => search.focus() };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  });
  const accepting = document.querySelector("#accepting");
  if (!accepting) return;
  accepting.hidden = false;
  const boxes = [...document.querySelectorAll(".accept")].map((line) => {
    line.hidden = false;
    return line.querySelector("input");
  });
  const reason = accepting.querySelector("[name=reason]");
  const save = accepting.querySelector("[name=save]");
  const told = accepting.querySelector("[role=status]");
  const chosen = () => boxes.filter((box) => box.checked);
  const ready = () => {
    const count = chosen().length;
    save.disabled = !count || !reason.value.trim();
    told.textContent = count ? `${count} accepted` : "";
  };
  document.addEventListener("input", ready);
  save.addEventListener("click", () => {
    const date = new Date().toISOString().slice(0, 10);
    const lines = chosen().map((box) => JSON.stringify({ texts: box.value, reason: reason.value.trim(), date }));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "application/jsonl" }));
    link.download = "accepted.jsonl";
    link.click();
    URL.revokeObjectURL(link.href);
  });
})();
