// The page: one websocket; frames are acknowledged when painted; buttons send messages.
"use strict";

const element = (name) => document.getElementById(name);
const STALE = 1000; // ms without a frame after which the controls lock; the server also locks them by itself
const LINES = 400; // maximum lines of the log

const page = {
  socket: null, state: null, role: null, views: new Map(), focus: "", painted: 0, frames: 0, locked: "", things: new Map(), ids: 0, delays: [],

  connect() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.hear(JSON.parse(data)) : this.frame(data));
    this.socket.onopen = () => { element("connection").textContent = "connected"; };
    this.socket.onclose = () => { this.role = null; this.roles(); element("connection").textContent = "the studio does not answer"; setTimeout(() => this.connect(), 2000); };
  },

  send(message) { if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); },

  // ---------------------------------------------------------------- pictures

  async frame(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let at = 4 + length;
    await Promise.all(head.views.map(async ([name, size]) => {
      const blob = new Blob([new Uint8Array(buffer, at, size)], { type: "image/jpeg" });
      at += size;
      const picture = await createImageBitmap(blob);
      this.views.get(name)?.close();
      this.views.set(name, picture);
    }));
    requestAnimationFrame(() => {
      for (const [name] of head.views) this.paint(name);
      this.painted = performance.now();
      this.frames += 1;
      this.delays = [...this.delays.slice(-299), performance.timeOrigin + this.painted - head.wall];
      this.send({ type: "painted", seq: head.seq });
      this.lock();
    });
  },

  paint(name) {
    const picture = this.views.get(name);
    if (!picture) return;
    const draw = (canvas) => {
      if (canvas.width !== picture.width) canvas.width = picture.width;
      if (canvas.height !== picture.height) canvas.height = picture.height;
      canvas.getContext("2d").drawImage(picture, 0, 0);
    };
    draw(this.thumb(name).querySelector("canvas"));
    if (name === this.focus) draw(element("main-view"));
  },

  thumb(name) {
    const known = [...element("thumbs").children].find((thumb) => thumb.dataset.view === name);
    if (known) return known;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "thumb", title: `Look at ${name}` });
    button.dataset.view = name;
    button.append(document.createElement("canvas"), Object.assign(document.createElement("span"), { textContent: name }));
    button.addEventListener("click", () => this.look(name));
    element("thumbs").append(button);
    if (!this.focus) this.look(name);
    return button;
  },

  look(name) {
    this.focus = name;
    this.send({ type: "focus", view: name });
    element("main-name").textContent = name;
    for (const thumb of element("thumbs").children) thumb.setAttribute("aria-pressed", String(thumb.dataset.view === name));
    this.paint(name);
    this.closeMenu();
  },

  // ---------------------------------------------------------------- messages of the studio

  hear(message) {
    switch (message.type) {
      case "state": this.show(message); break;
      case "map": worldMap.show(message); this.names(message); break;
      case "role": this.role = message; this.roles(); break;
      case "event": this.log(message); break;
      case "refused": this.tell(message.text); break;
      case "things": this.things.get(message.id)?.(message.things); this.things.delete(message.id); break;
    }
  },

  show(state) {
    const before = this.state;
    this.state = state;
    element("robot").textContent = state.robot;
    element("task").textContent = state.task ? `${state.task}  (${state.in_charge === "person" ? "you decide" : `${state.in_charge} decides`})` : "Practice: nothing is recorded";
    element("doing").textContent = state.doing;
    if (this.delays.length) element("connection").textContent = `picture ${Math.round(this.delay())} ms old`;
    element("recording").hidden = !state.recording;
    element("reason").hidden = !(state.recording && state.in_charge === "person");
    element("recording-name").textContent = state.recording ? "recording" : "";
    element("recording").title = state.recording;
    element("inventory").textContent = state.inventory.join(", ") || "nothing";
    element("round").textContent = state.round;
    element("stamp").textContent = state.stamp.toFixed(1);
    element("take").disabled = state.in_charge === "person";
    element("give").disabled = state.in_charge !== "person" || !state.task || state.planner === "human";
    for (const button of document.querySelectorAll("[data-finish]")) button.disabled = !state.task;
    if (!before) for (const view of state.views) this.thumb(view);
    if (!before || String(before.actions) !== String(state.actions)) this.actions(state);
    worldMap.move(state.pose, state.stamp);
    hands.sliders(state.groups);
    if (before && before.recording && !state.recording && element("shelf").open) library.load();
  },

  actions(state) {
    element("actions").replaceChildren(...state.actions.filter((name) => name !== "End").map((name) => {
      const button = Object.assign(document.createElement("button"), { type: "submit", textContent: name, value: name });
      button.dataset.action = name;
      return button;
    }));
  },

  names({ fixed, loose, rooms }) {
    const spoken = (name) => name.replace(/_/g, " ");
    const names = [...new Set([...loose, ...fixed].map((thing) => spoken(thing.kind)).concat(rooms.map((room) => spoken(room.kind))))].sort();
    if (names.join() === this.known) return;
    this.known = names.join();
    element("names").replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { value: name })));
  },

  log(event) {
    const line = document.createElement("li"), put = (text, kind = "") => line.append(Object.assign(document.createElement("span"), { textContent: text, className: kind }));
    switch (event.kind) {
      case "task": put(event.text ? `task: ${event.text}` : "practice"); break;
      case "sight": put(`round ${event.round} sees ${Object.values(event.seen).flat().filter((name, n, all) => all.indexOf(name) === n).join(", ") || "nothing"}`, "soft"); break;
      case "decision": if (event.analysis) put(`${event.analysis} `, "soft"); put(event.subtasks.join(" ") || event.problem); if (event.model) put(` with ${event.model}`, "soft"); break;
      case "check": if (!event.code) return; put(`${event.layer} check ${event.code}`, "fail"); break;
      case "attempt": put(`${event.skill}: ${event.outcome} after ${event.seconds.toFixed(1)} s${event.reason ? `, ${event.reason}` : ""}`, "soft"); break;
      case "feedback": put(`${event.subtask} ${event.ok ? "success" : `${event.code}: ${event.text}`}`, event.ok ? "ok" : "fail"); break;
      case "end": put(`episode over after ${event.rounds} ${event.rounds === 1 ? "round" : "rounds"}: ${event.text}`); break;
      case "tell": put(event.text, "tell"); this.tell(event.text); break;
      default: return;
    }
    line.dataset.kind = event.kind;
    const log = element("log"), low = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.append(line);
    while (log.children.length > LINES) log.firstChild.remove();
    if (low) log.scrollTop = log.scrollHeight;
  },

  tell(text) {
    element("told").textContent = text;
    clearTimeout(this.forget);
    this.forget = setTimeout(() => { element("told").textContent = ""; }, 8000);
  },

  // ---------------------------------------------------------------- control and locks

  roles() {
    const drives = Boolean(this.role?.drives), button = element("controls");
    button.classList.toggle("held", drives);
    button.textContent = drives ? "You drive: release" : this.role && !this.role.free ? "Somebody else drives" : "Take the controls";
    button.disabled = !this.role || (!drives && !this.role.free);
    if (!drives) hands.release();
    this.lock();
  },

  // Latency from capture to display, ms: the median of the last frames.
  delay() { return [...this.delays.slice(-15)].sort((a, b) => a - b)[Math.floor(Math.min(this.delays.length, 15) / 2)]; },

  // Lock the controls unless the picture is fresh.
  lock() {
    const age = performance.now() - this.painted;
    this.locked = this.socket?.readyState !== WebSocket.OPEN ? "The studio does not answer. The controls are locked."
      : age > STALE ? `The picture is ${(age / 1000).toFixed(1)} s old. The controls are locked until it moves again.` : "";
    element("lock").hidden = !this.locked;
    element("lock").textContent = this.locked;
    const off = Boolean(this.locked) || !this.role?.drives;
    if (off && hands.held.size) hands.release();
    for (const control of document.querySelectorAll("#subtask button, #subtask input, #line, #pad button, #sliders input, #begin button, #instruction, #planner, #record")) control.classList.toggle("off", off);
    document.body.classList.toggle("locked", off);
    for (const control of document.querySelectorAll("#actions button, #pad button, #sliders input, #start")) control.disabled = off;
    element("line").disabled = !this.role?.drives; // a lock keeps its focus and text, but ignores Enter
  },

  // ---------------------------------------------------------------- pointing at objects

  inspect(question, menuAt, host) {
    const id = ++this.ids;
    this.things.set(id, (things) => this.menu(things, menuAt, host));
    this.send({ type: "inspect", id, ...question });
  },

  menu(things, [x, y], host) {
    const menu = element("menu");
    host.parentElement.append(menu);
    host.parentElement.style.position = "relative";
    menu.replaceChildren();
    for (const thing of things.slice(0, 4)) {
      menu.append(Object.assign(document.createElement("b"), { textContent: thing.name }));
      for (const [action, target, destination] of thing.subtasks) {
        const text = [action, target, destination && `on ${destination}`].filter(Boolean).join(" ");
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
        button.addEventListener("click", () => { this.act(action, target, destination); this.closeMenu(); });
        menu.append(button);
      }
    }
    if (!things.length) menu.append(Object.assign(document.createElement("b"), { textContent: "nothing that the robot knows" }));
    menu.hidden = false;
    menu.style.left = `${Math.max(0, Math.min(x, host.clientWidth - menu.offsetWidth))}px`;
    menu.style.top = `${host.offsetTop + Math.max(0, Math.min(y, host.clientHeight - menu.offsetHeight))}px`;
    menu.querySelector("button")?.focus();
  },

  closeMenu() { element("menu").hidden = true; },

  act(action, target, destination) {
    this.send({ type: "do", action, target, destination, analysis: element("why").value });
    element("why").value = "";
  },

  // ---------------------------------------------------------------- buttons

  start() {
    const typing = () => ["INPUT", "TEXTAREA"].includes(document.activeElement?.tagName) && !["checkbox", "range"].includes(document.activeElement.type);
    hands.start((message) => { if (this.role?.drives && !this.locked) this.send(message); }, typing);
    library.start();
    element("controls").addEventListener("click", () => this.send({ type: "control", hold: !this.role?.drives }));
    element("stop").addEventListener("click", () => { hands.release(); this.send({ type: "stop" }); });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") { hands.release(); this.send({ type: "stop" }); this.closeMenu(); document.activeElement?.blur(); }
      if (event.key === "/" && !typing()) { event.preventDefault(); element("line").focus(); }
    });
    element("line-form").addEventListener("submit", (event) => { event.preventDefault(); if (this.locked) return; this.send({ type: "line", text: element("line").value }); element("line").value = ""; });
    element("subtask").addEventListener("submit", (event) => {
      event.preventDefault();
      const action = event.submitter?.dataset.action, takes = this.state.arguments[action] ?? ["target"];
      if (!action) return;
      const target = element("target").value.trim() || (takes.includes("destination") ? this.state.inventory.at(-1) ?? "" : "");
      this.act(action, takes.includes("target") ? target : "", takes.includes("destination") ? element("destination").value.trim() : "");
    });
    element("begin").addEventListener("submit", (event) => {
      event.preventDefault();
      const planner = element("planner").value.trim();
      this.send({ type: "begin", task: element("instruction").value, planner: planner === "you" ? "" : planner, record: element("record").checked });
    });
    for (const button of document.querySelectorAll("[data-finish]")) {
      button.addEventListener("click", () => {
        const how = button.dataset.finish;
        this.send({ type: "finish", mark: ["success", "failure"].includes(how) ? how : "", discard: how === "discard", again: how === "again" });
      });
    }
    for (const button of document.querySelectorAll("[data-charge]")) button.addEventListener("click", () => this.send({ type: "charge", person: button.dataset.charge === "person" }));
    element("say-note").addEventListener("click", () => { this.send({ type: "note", kind: "remark", text: element("note").value }); element("note").value = ""; });
    element("main-view").addEventListener("click", (event) => {
      const canvas = event.target, scale = Math.min(canvas.clientWidth / canvas.width, canvas.clientHeight / canvas.height);
      const place = (at, shown, own) => (at - (shown - scale * own) / 2) / (scale * own); // the picture is centred in its canvas
      const x = place(event.offsetX, canvas.clientWidth, canvas.width), y = place(event.offsetY, canvas.clientHeight, canvas.height);
      if (!this.state?.pointed.includes(this.focus)) this.tell(`Nothing can be pointed at in the view ${this.focus}: click on ${this.state.pointed.join(", ")} or on the map.`);
      else if (x >= 0 && x <= 1 && y >= 0 && y <= 1) this.inspect({ view: this.focus, x, y }, [event.offsetX, event.offsetY], canvas);
    });
    element("main-view").addEventListener("keydown", (event) => { if (event.key === "Enter" && this.state?.pointed.includes(this.focus)) this.inspect({ view: this.focus, x: 0.5, y: 0.5 }, [20, 20], event.target); });
    element("map").addEventListener("click", (event) => { const words = worldMap.at(event.offsetX, event.offsetY); if (words) this.inspect({ words }, [event.offsetX, event.offsetY], event.target); });
    element("map").addEventListener("mousemove", (event) => worldMap.point(event.offsetX, event.offsetY));
    element("map").addEventListener("mouseleave", () => worldMap.point(-1, -1));
    addEventListener("resize", () => worldMap.draw());
    setInterval(() => this.lock(), 200);
    this.connect();
  },
};
page.start();
