/* Order of tables: sort.TABLE=HEAD, or -HEAD for the largest first. Numbers by data-sort or the text; what is not there comes last. */
const firstOrder = new Map();

function key(row, column) {
  const cell = row.cells[column];
  const text = "sort" in cell.dataset ? cell.dataset.sort : cell.textContent.trim();
  if (text === "" || text === "-") return null;
  return Number.isNaN(Number(text)) ? text.toLowerCase() : Number(text);
}

function compare(a, b) {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
  return typeof a === "number" ? -1 : 1;
}

function sort(query, root = document) {
  for (const table of all("table.sortable", root)) {
    const body = table.tBodies[0];
    const heads = all("thead th", table);
    const wanted = query.get(`sort.${table.dataset.table}`) || "";
    const down = wanted.startsWith("-");
    const column = heads.findIndex((head) => head.querySelector("button.sort") && head.textContent === wanted.replace(/^-/, ""));
    const order = `${column} ${down}`;
    if ((table.dataset.order || "-1 false") === order) continue;
    table.dataset.order = order;
    if (!firstOrder.has(table)) firstOrder.set(table, [...body.rows]);
    const rows = firstOrder.get(table).map((row) => [column < 0 ? null : key(row, column), row]);
    if (column >= 0) {
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return down ? compare(b, a) : compare(a, b);
      });
    }
    body.append(...rows.map(([, row]) => row));
    heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }
}

/* One click: the smallest first (numbers: the largest); two: the other way; three: the first order. */
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.sort");
  if (!button) return;
  const head = button.closest("th"), name = `sort.${button.closest("table").dataset.table}`, text = head.textContent;
  const ways = head.matches(".number, .run") ? [`-${text}`, text] : [text, `-${text}`];
  change((query) => {
    const next = ways[ways.indexOf(query.get(name)) + 1];
    if (next) query.set(name, next); else query.delete(name);
  });
});
