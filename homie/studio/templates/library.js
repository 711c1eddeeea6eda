// Recordings and runs on disk: view, mark, annotate and compare them.
"use strict";

const library = {
  async load() {
    const [recordings, runs] = await Promise.all(["api/recordings", "api/runs"].map(async (path) => (await fetch(path)).json()));
    document.getElementById("recordings").replaceChildren(this.table(["", "recording", "mark", "notes", ""], recordings.map((recording) => this.recording(recording))));
    const others = runs.filter((run) => !run.recorded);
    document.getElementById("runs").replaceChildren(...(others.length ? [this.table(["", "run", "kind"], others.map((run) => this.run(run)))] : []));
  },

  table(heads, rows) {
    const table = document.createElement("table"), head = table.createTHead().insertRow();
    for (const text of heads) head.append(Object.assign(document.createElement("th"), { textContent: text }));
    table.createTBody().append(...rows);
    return table;
  },

  row(...cells) {
    const row = document.createElement("tr");
    for (const cell of cells) row.insertCell().append(...[cell].flat());
    return row;
  },

  link(name, text) {
    return Object.assign(document.createElement("a"), { href: `report?run=${encodeURIComponent(name)}`, target: "_blank", rel: "noopener", textContent: text });
  },

  choice(name) {
    return Object.assign(document.createElement("input"), { type: "checkbox", name: "run", value: name, ariaLabel: `compare ${name}` });
  },

  button(text, message) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    button.addEventListener("click", () => { page.send({ type: "note", ...message() }); setTimeout(() => this.load(), 300); });
    return button;
  },

  recording(take) {
    const about = ` ${take.finished ? `${take.rounds} ${take.rounds === 1 ? "round" : "rounds"}, ${take.seconds} s` : "unfinished"}${take.discarded ? ", discarded" : ""}`;
    const notes = take.notes.filter((note) => note.text && note.kind !== "mark").map((note) => Object.assign(document.createElement("div"), { textContent: note.round ? `${note.round}: ${note.text}` : note.text }));
    const recording = take.name;
    const ask = () => { const text = prompt(`A note on ${take.task}. "3: ..." replaces the analysis of round 3.`) ?? "", [, round, rest] = text.match(/^(\d+):\s*(.*)$/s) ?? []; return round ? { kind: "analysis", round: Number(round), text: rest, recording } : { kind: "remark", text, recording }; };
    const buttons = [
      this.button("good", () => ({ kind: "mark", text: "success", recording })), this.button("bad", () => ({ kind: "mark", text: "failure", recording })),
      this.button("note", ask), this.button(take.discarded ? "keep" : "discard", () => ({ kind: take.discarded ? "keep" : "discard", recording }))];
    const row = this.row(this.choice(take.name), [this.link(take.name, take.task), about], take.mark, notes, buttons);
    row.classList.toggle("out", take.discarded);
    row.dataset.name = take.name;
    return row;
  },

  run(entry) {
    return this.row(this.choice(entry.name), this.link(entry.name, entry.name), entry.kind);
  },

  start() {
    document.getElementById("shelf").addEventListener("toggle", (event) => { if (event.target.open) this.load(); });
    document.getElementById("reload").addEventListener("click", () => this.load());
    document.getElementById("compare").addEventListener("click", () => {
      const chosen = [...document.querySelectorAll("#shelf input[name=run]:checked")].map((box) => `run=${encodeURIComponent(box.value)}`);
      if (chosen.length) open(`report?${chosen.join("&")}`, "_blank", "noopener");
    });
  },
};
