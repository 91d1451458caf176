"use strict";
// Words that point at other words: by mouse, by touch, and by arrow keys where a text has the focus.

function sayWord(word) {
  const evidence = word.closest(".ev");
  for (const one of evidence.querySelectorAll(".on")) one.classList.remove("on");
  const targets = (word.dataset.to || "").split(" ").filter(Boolean);
  const key = word.dataset.k;
  for (const other of evidence.querySelectorAll(".w")) {
    const pointedAt = targets.includes(other.dataset.k);
    const pointsHere = key && (other.dataset.to || "").split(" ").includes(key);
    if (other === word || pointedAt || pointsHere) other.classList.add("on");
  }
  const said = evidence.querySelector(".said");
  if (said) said.textContent = word.dataset.n ? `“${word.textContent}”: ${word.dataset.n}` : "";
}

function wordKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const text = event.target;
  if (!step || !text.matches(".ev .text")) return;
  const words = [...text.querySelectorAll(".w")];
  const at = words.findIndex((word) => word.classList.contains("current"));
  const next = words[at < 0 ? (step > 0 ? 0 : words.length - 1) : Math.min(words.length - 1, Math.max(0, at + step))];
  if (!next) return;
  event.preventDefault();
  if (at >= 0) words[at].classList.remove("current");
  next.classList.add("current");
  sayWord(next);
}

// A table that is wider than its place is scrolled by keyboard too.
const wideTables = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest(".wide");
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls === box.hasAttribute("tabindex")) continue;
    const caption = box.querySelector("caption");
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", caption ? caption.textContent : "Table"]]) {
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
});

function reachable(root) {
  for (const box of root.querySelectorAll(".wide")) for (const one of [box, ...box.children]) wideTables.observe(one);
  for (const text of root.querySelectorAll(".ev .text")) {
    if (!text.querySelector(".w[data-n]")) continue;
    text.tabIndex = 0;
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", `${text.previousElementSibling.textContent}. Arrow keys go from word to word.`);
  }
}

function onWord(event) {
  const word = event.target.closest ? event.target.closest(".ev .pane .w") : null;
  if (word) sayWord(word);
}

document.addEventListener("mouseover", onWord);
document.addEventListener("click", onWord);
document.addEventListener("keydown", wordKeys);
reachable(document);
