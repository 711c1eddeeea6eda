"use strict";
const rows = [...document.querySelectorAll("#episodes tbody tr")];
const words = document.querySelector("#words");
const ways = document.querySelector("#ways");
const count = document.querySelector("#count");

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = wanted.every((word) => text.includes(word)) && (!ways.value || row.dataset.outcome === ways.value);
    row.hidden = !fits;
    left += fits;
  }
  count.textContent = `${left} of ${rows.length}`;
}

/* The episode on show, and what the arrow keys and its links lead to: its neighbours among the rows that are left. */
function turn(section, by) {
  const left = rows.filter((row) => !row.hidden || row.dataset.episode === section.id);
  const here = left.findIndex((row) => row.dataset.episode === section.id);
  const next = left[here + by];
  if (next) location.hash = next.dataset.episode;
}

words.addEventListener("input", filter);
ways.addEventListener("change", filter);
document.querySelector("#filter").hidden = false;
document.addEventListener("keydown", (event) => {
  const section = document.querySelector("section.episode:target, section.episode:has(:target)");
  if (!section || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, video")) return;
  if (event.key === "ArrowLeft") turn(section, -1);
  if (event.key === "ArrowRight") turn(section, 1);
  if (event.key === "Escape") location.hash = "episodes";
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-turn]");
  if (!link) return;
  event.preventDefault();
  turn(link.closest("section"), Number(link.dataset.turn));
});
filter();
