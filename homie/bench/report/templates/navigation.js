/* What is on show, and the ways there: links, keys, the history. */
const scrolled = new Map();
let onShow = null;

function view(name) {
  if (name === "side") return byId("side");
  const target = name && byId(name);
  return target ? target.closest("section.view") : null;
}

function render() {
  const {name, query} = address();
  const section = view(name);
  filter(query);
  for (const other of all("section.view.shown")) if (other !== section) other.classList.remove("shown");
  byId("side").hidden = section !== byId("side");
  byId("overview").hidden = section !== null;
  if (section) section.classList.add("shown");
  if (section && section.matches(".episode")) fill(section, section.id.replace("episode-", ""));
  if (section === byId("side")) sideBySide(query);
  const list = name === "episodes" || (name !== "tasks" && document.body.dataset.list === "episodes");
  document.body.dataset.list = list ? "episodes" : "tasks";
  byId("list-tasks").hidden = list;
  byId("list-episodes").hidden = !list;
  byId("tab-tasks").setAttribute("aria-current", String(!list));
  byId("tab-episodes").setAttribute("aria-current", String(list));
  sort(query, section || byId("overview"));
}

function arrive() {
  const before = onShow;
  const {name} = address();
  render();
  onShow = view(name);
  if (before === onShow && before === null && !name) return;
  const place = name === "tasks" || name === "episodes" ? byId("browse") : name && byId(name);
  if (onShow && place === onShow) {
    window.scrollTo(0, 0);
    onShow.querySelector("h1").focus({preventScroll: true});
  } else if (before && !onShow && scrolled.has("overview")) window.scrollTo(0, scrolled.get("overview"));
  else if (place) place.scrollIntoView();
}

/* The neighbour among the episodes or tasks that the filter has left, in the order of their table. */
function turn(section, by) {
  const kind = section.matches(".task") ? "task" : "episode";
  const rows = all(kind === "task" ? "#list-tasks tbody tr" : "#list-episodes tbody tr");
  const number = (row) => (kind === "task" ? row.dataset.task : row.dataset.number);
  const some = rows.filter((row) => !row.hidden || `${kind}-${number(row)}` === section.id);
  const next = some[some.findIndex((row) => `${kind}-${number(row)}` === section.id) + by];
  if (next) go(`${kind}-${number(next)}`);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const section = link.closest("section.view");
  if (link.dataset.turn && section) return turn(section, Number(link.dataset.turn));
  const [name, query] = link.getAttribute("href").slice(1).split("?");
  if (!onShow) scrolled.set("overview", window.scrollY);
  const same = location.hash;
  go(name, Object.fromEntries(new URLSearchParams(query || "")));
  if (location.hash === same) arrive();
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, video")) return;
  const section = view(address().name);
  if (event.key === "/" && !section) {
    event.preventDefault();
    byId("words").focus();
  } else if (event.key === "Escape" && section) go(section.matches(".episode") ? "episodes" : "tasks");
  else if (section && section.matches(".episode, .task") && event.key === "ArrowLeft") turn(section, -1);
  else if (section && section.matches(".episode, .task") && event.key === "ArrowRight") turn(section, 1);
});

window.addEventListener("hashchange", arrive);
/* The overview can be used while the episodes are still being read; what the address names may be among them. */
document.addEventListener("DOMContentLoaded", () => {
  const linked = byId("linked"), note = byId("linked-note");
  if (note) { linked.textContent = note.textContent; linked.hidden = false; }
  shoot();
  arrive();
});
document.body.dataset.list = taskRows.length < episodeRows.length ? "tasks" : "episodes";
render();
