/* Which episodes are left: words (with - : not) and facets. FACET=VALUE keeps those that have one of these values, FACET!=VALUE
   those that have none of these. */
const episodeRows = all("#list-episodes tbody tr").map((row) => {
  return {row, number: row.dataset.number, facets: JSON.parse(row.dataset.facets), text: row.textContent.toLowerCase()};
});
const taskRows = all("#list-tasks tbody tr");
const facetButtons = all("#facets button");
let left = new Set(episodeRows.map((episode) => episode.number));

function fits(episode, query) {
  const words = (query.get("words") || "").toLowerCase().split(/\s+/).filter(Boolean);
  const has = (word) => episode.text.includes(word);
  if (!words.every((word) => (word.length > 1 && word.startsWith("-") ? !has(word.slice(1)) : has(word)))) return false;
  return Object.entries(episode.facets).every(([facet, values]) => {
    const only = query.getAll(facet), without = query.getAll(`${facet}!`);
    return (!only.length || only.some((value) => values.includes(value))) && !without.some((value) => values.includes(value));
  });
}

function filter(query) {
  left = new Set(episodeRows.filter((episode) => fits(episode, query)).map((episode) => episode.number));
  const counts = new Map();
  for (const episode of episodeRows) {
    episode.row.hidden = !left.has(episode.number);
    if (episode.row.hidden) continue;
    for (const [facet, values] of Object.entries(episode.facets)) {
      for (const value of values) counts.set(`${facet}=${value}`, (counts.get(`${facet}=${value}`) || 0) + 1);
    }
  }
  for (const row of taskRows) {
    const marks = all("a.mark", row);
    for (const mark of marks) mark.classList.toggle("dim", !left.has(mark.dataset.number));
    row.hidden = marks.length > 0 && marks.every((mark) => !left.has(mark.dataset.number));
  }
  let chosen = false;
  for (const button of facetButtons) {
    const {facet, value} = button.dataset;
    const way = query.getAll(facet).includes(value) ? "only" : query.getAll(`${facet}!`).includes(value) ? "not" : "";
    button.className = way;
    button.setAttribute("aria-pressed", way ? "true" : "false");
    button.title = way ? `${way} ${value}` : "";
    button.querySelector("small").textContent = counts.get(`${facet}=${value}`) || 0;
    chosen = chosen || Boolean(way);
  }
  const words = query.get("words") || "";
  if (byId("words").value.trim() !== words) byId("words").value = words;
  byId("count").textContent = `${left.size} of ${episodeRows.length}`;
  byId("clear").hidden = !chosen && !words;
  if (chosen) byId("facets").open = true;
}

/* One click: only these; two: all but these; three: let go. */
function press(facet, value) {
  change((query) => {
    const only = query.getAll(facet), without = query.getAll(`${facet}!`);
    query.delete(facet);
    query.delete(`${facet}!`);
    const add = only.includes(value) ? [only.filter((kept) => kept !== value), [...without, value]]
      : without.includes(value) ? [only, without.filter((kept) => kept !== value)] : [[...only, value], without];
    for (const kept of add[0]) query.append(facet, kept);
    for (const kept of add[1]) query.append(`${facet}!`, kept);
  });
}

for (const button of facetButtons) button.addEventListener("click", () => press(button.dataset.facet, button.dataset.value));
byId("words").addEventListener("input", (event) => change((query) => {
  const words = event.target.value.trim();
  if (words) query.set("words", words); else query.delete("words");
}));
byId("clear").addEventListener("click", () => {
  const facets = new Set(facetButtons.map((button) => button.dataset.facet));
  change((query) => {
    for (const key of [...query.keys()]) if (key === "words" || facets.has(key.replace(/!$/, ""))) query.delete(key);
  });
});
byId("filter").addEventListener("submit", (event) => event.preventDefault());
byId("filter").hidden = false;
