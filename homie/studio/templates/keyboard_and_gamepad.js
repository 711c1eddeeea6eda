// Manual control: keys, held buttons, a gamepad, sliders. While anything is held, the stick is sent ten times a second.
"use strict";

const KEYS = {
  w: { drive: 1 }, s: { drive: -1 }, a: { turn: 1 }, d: { turn: -1 },
  i: { reach: [1, 0, 0] }, k: { reach: [-1, 0, 0] }, j: { reach: [0, 1, 0] }, l: { reach: [0, -1, 0] },
  u: { reach: [0, 0, 1] }, m: { reach: [0, 0, -1] }, y: { wrist: 1 }, h: { wrist: -1 }, o: { grip: 1 }, c: { grip: -1 },
};
const PAD = [["w", "ahead"], ["s", "back"], ["a", "left"], ["d", "right"], ["i", "hand ahead"], ["k", "hand back"], ["j", "hand left"],
  ["l", "hand right"], ["u", "hand up"], ["m", "hand down"], ["o", "open"], ["c", "close"]];
const DEAD = 0.15; // dead zone of a gamepad's sticks, which do not return to exactly 0

const hands = {
  held: new Set(), slow: false, joints: {}, sent: false, send: () => {},

  stick() {
    const stick = { drive: 0, turn: 0, reach: [0, 0, 0], wrist: 0, grip: 0, joints: this.joints };
    for (const part of [...[...this.held].map((key) => KEYS[key]), this.gamepad()]) {
      for (const [name, value] of Object.entries(part)) {
        stick[name] = name === "reach" ? stick.reach.map((before, n) => before + value[n]) : stick[name] + value;
      }
    }
    const bounded = (value) => Math.min(Math.max(value * (this.slow ? 0.4 : 1), -1), 1);
    return { ...stick, drive: bounded(stick.drive), turn: bounded(stick.turn), reach: stick.reach.map(bounded), wrist: bounded(stick.wrist), grip: Math.sign(stick.grip) };
  },

  // Left stick: base. Right stick: hand forward and sideways. Triggers: hand up and down. A and B: close and open.
  gamepad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find(Boolean);
    document.getElementById("gamepad").textContent = pad ? "Gamepad: left stick base, right stick hand, triggers up and down, A closes, B opens." : "";
    if (!pad) return {};
    const axis = (n) => (Math.abs(pad.axes[n] ?? 0) > DEAD ? pad.axes[n] : 0), button = (n) => pad.buttons[n]?.value ?? 0;
    return { drive: -axis(1), turn: -axis(0), reach: [-axis(3), -axis(2), button(7) - button(6)], wrist: button(4) - button(5), grip: button(1) - button(0) };
  },

  moves(stick) {
    return Boolean(stick.drive || stick.turn || stick.wrist || stick.grip || stick.reach.some(Boolean) || Object.keys(stick.joints).length);
  },

  tick() {
    const stick = this.stick(), moves = this.moves(stick);
    if (moves || this.sent) this.send({ type: "stick", ...stick });
    this.sent = moves;
  },

  release() { this.held.clear(); this.joints = {}; this.tick(); },

  start(send, typing) {
    this.send = send;
    addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      this.slow = event.shiftKey;
      if (typing() || event.ctrlKey || event.metaKey || event.altKey || !(key in KEYS)) return;
      event.preventDefault();
      this.held.add(key);
      if (!event.repeat) this.tick();
    });
    addEventListener("keyup", (event) => { this.slow = event.shiftKey; if (this.held.delete(event.key.toLowerCase())) this.tick(); });
    addEventListener("blur", () => this.release());
    for (const [key, name] of PAD) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, title: `held: ${key.toUpperCase()}` });
      button.addEventListener("pointerdown", (event) => { button.setPointerCapture(event.pointerId); this.held.add(key); this.tick(); });
      for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => { this.held.delete(key); this.tick(); });
      document.getElementById("pad").append(button);
    }
    setInterval(() => this.tick(), 100);
  },

  // One slider per joint; while one is held, the targets of its group are sent.
  sliders(groups) {
    const box = document.getElementById("sliders"), wanted = groups.filter((group) => group.kind !== "base");
    if (!box.children.length) {
      for (const group of wanted) {
        group.joints.forEach((joint, place) => {
          const label = document.createElement("label"), name = group.joints.length > 1 ? joint.name.replace(/_joint$/, "") : group.name;
          const slider = Object.assign(document.createElement("input"), { type: "range", min: joint.lower, max: joint.upper, step: (joint.upper - joint.lower) / 500 });
          slider.dataset.group = group.name;
          slider.dataset.place = place;
          slider.setAttribute("aria-label", name);
          slider.addEventListener("input", () => { slider.dataset.held = "yes"; this.joints[group.name] = this.values(group.name); this.tick(); });
          for (const end of ["change", "blur"]) slider.addEventListener(end, () => { delete slider.dataset.held; setTimeout(() => { delete this.joints[group.name]; }, 1500); });
          label.append(name, slider, document.createElement("output"));
          box.append(label);
        });
      }
    }
    const joints = wanted.flatMap((group) => group.joints);
    box.querySelectorAll("label").forEach((label, place) => {
      const slider = label.querySelector("input"), value = joints[place].value;
      label.querySelector("output").textContent = value.toFixed(2);
      if (!slider.dataset.held && !(slider.dataset.group in this.joints)) slider.value = value;
    });
  },

  values(group) {
    return [...document.querySelectorAll(`#sliders input[data-group="${CSS.escape(group)}"]`)].map((slider) => Number(slider.value));
  },
};
