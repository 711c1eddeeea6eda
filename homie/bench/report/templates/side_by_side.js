/* Two episodes beside each other, round by round: copies of what the page shows of each. */
const SIDES = ["left", "right"];

function copy(node) {
  const clone = node.cloneNode(true);
  for (const part of [clone, ...all("[id]", clone)]) part.removeAttribute("id");
  return clone;
}

function element(tag, className, text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}

function choose(side, number, sections) {
  const options = sections.map((section) => {
    const option = element("option", "", section.dataset.label);
    option.value = section.id.replace("episode-", "");
    option.selected = option.value === number;
    return option;
  });
  byId(side).replaceChildren(...options);
}

/* One row: the same part of both, where it is there. */
function pair(parts, sections) {
  const row = element("div", "pair");
  parts.forEach((part, index) => {
    const cell = element("div", `half ${SIDES[index]}`);
    cell.append(element("p", "whose", sections[index].dataset.label));
    if (part) cell.append(copy(part)); else cell.append(element("p", "card soft", "no such round"));
    fill(cell, sections[index].id.replace("episode-", ""));
    row.append(cell);
  });
  return row;
}

function sideBySide(query) {
  const numbers = SIDES.map((side) => query.get(side) || "");
  const sections = numbers.map((number) => byId(`episode-${number}`));
  if (sections.includes(null)) {
    byId("side-text").textContent = "Choose two episodes of a task: the table of tasks by run leads here.";
    byId("side-rounds").replaceChildren();
    return;
  }
  const task = sections[0].dataset.task;
  const alike = all(`section.episode[data-task="${task}"]`);
  SIDES.forEach((side, index) => choose(side, numbers[index], alike.includes(sections[index]) ? alike : [...alike, sections[index]]));
  byId("side-text").textContent = sections[0].querySelector("h1").textContent;
  const rows = [pair(sections.map((section) => section.querySelector(".head")), sections)];
  const films = sections.map((section) => section.querySelector(".film"));
  if (films.some(Boolean)) rows.push(pair(films, sections));
  const rounds = sections.map((section) => all("article.round", section));
  let apart = null;
  for (let index = 0; index < Math.max(...rounds.map((some) => some.length)); index += 1) {
    const both = rounds.map((some) => some[index] || null);
    const row = pair(both, sections);
    if (!both[0] || !both[1] || both[0].dataset.decision !== both[1].dataset.decision) {
      row.classList.add("apart");
      if (!apart) apart = {row, number: index + 1};
    }
    rows.push(row);
  }
  byId("side-rounds").replaceChildren(...rows);
  const link = byId("apart");
  link.hidden = !apart;
  link.textContent = apart ? `the decisions differ from round ${apart.number} on` : "";
  link.onclick = (event) => { event.preventDefault(); event.stopPropagation(); apart.row.scrollIntoView(); };
}

for (const side of SIDES) byId(side).addEventListener("change", (event) => change((query) => query.set(side, event.target.value)));
/* The two that are chosen among the trials of a task. */
document.addEventListener("change", (event) => {
  const radio = event.target.closest("input[data-hand]");
  if (!radio) return;
  const section = radio.closest("section"), link = section.querySelector("a[data-side]");
  const chosen = SIDES.map((side) => `${side}=${section.querySelector(`input[data-hand="${side}"]:checked`).value}`);
  link.setAttribute("href", `#side?${chosen.join("&")}`);
});
