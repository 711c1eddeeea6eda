// The map: rooms, furniture, loose objects, the robot. North (+y) is up.
"use strict";

const worldMap = {
  content: null, pose: [0, 0, 0], view: null, path: [], stamp: 0, pointed: "",

  show(content) { this.content = content; this.draw(); },

  // Set the robot's pose (m, m, rad) at a robot time (s). Its path is drawn since the last reset of the world.
  move(pose, stamp) {
    if (stamp < this.stamp) this.path = [];
    this.stamp = stamp;
    const last = this.path.at(-1);
    if (!last || Math.hypot(pose[0] - last[0], pose[1] - last[1]) > 0.05) this.path = [...this.path.slice(-1999), pose.slice(0, 2)];
    this.pose = pose;
    this.draw();
  },

  // Bounding rectangle of the map, m.
  bounds() {
    const { rooms, fixed, loose } = this.content;
    const points = rooms.length ? rooms.flatMap((room) => [room.floor.slice(0, 2), room.floor.slice(2)])
      : [...fixed, ...loose].filter((thing) => Math.max(...thing.half) < 3).flatMap((thing) => [[thing.x - thing.half[0], thing.y - thing.half[1]], [thing.x + thing.half[0], thing.y + thing.half[1]]]);
    points.push([this.pose[0] - 0.3, this.pose[1] - 0.3], [this.pose[0] + 0.3, this.pose[1] + 0.3]);
    const xs = points.map((point) => point[0]), ys = points.map((point) => point[1]);
    return [Math.min(...xs) - 0.2, Math.min(...ys) - 0.2, Math.max(...xs) + 0.2, Math.max(...ys) + 0.2];
  },

  draw() {
    const canvas = document.getElementById("map");
    canvas.hidden = !this.content;
    if (!this.content) return;
    const width = canvas.clientWidth * devicePixelRatio, height = canvas.clientHeight * devicePixelRatio;
    if (canvas.width !== Math.round(width)) canvas.width = width;
    if (canvas.height !== Math.round(height)) canvas.height = height;
    const [x0, y0, x1, y1] = this.bounds();
    const scale = Math.min(width / (x1 - x0), height / (y1 - y0));
    const left = (width - scale * (x1 - x0)) / 2, top = (height - scale * (y1 - y0)) / 2;
    this.view = { x0, y1, scale, left, top };
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.clearRect(0, 0, width, height);
    const at = (x, y) => [left + (x - x0) * scale, top + (y1 - y) * scale];
    pen.lineWidth = devicePixelRatio;
    pen.strokeStyle = colour("--soft");
    for (const room of this.content.rooms) {
      const [a, b] = at(room.floor[0], room.floor[3]);
      pen.fillStyle = colour("--room");
      pen.fillRect(a, b, (room.floor[2] - room.floor[0]) * scale, (room.floor[3] - room.floor[1]) * scale);
      pen.strokeRect(a, b, (room.floor[2] - room.floor[0]) * scale, (room.floor[3] - room.floor[1]) * scale);
    }
    const flat = [...this.content.fixed].sort((a, b) => b.half[0] * b.half[1] - a.half[0] * a.half[1]);
    for (const thing of flat) this.box(pen, at, scale, thing, thing.name in this.content.open ? colour("--good") : colour("--thing"));
    for (const thing of this.content.loose) this.box(pen, at, scale, thing, colour("--loose"));
    pen.strokeStyle = colour("--link");
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.globalAlpha = 0.6;
    pen.beginPath(); for (const place of this.path) pen.lineTo(...at(...place)); pen.stroke();
    pen.globalAlpha = 1;
    const [x, y, yaw] = this.pose, [px, py] = at(x, y), r = Math.max(0.25 * scale, 6);
    pen.fillStyle = colour("--link");
    pen.beginPath(); pen.arc(px, py, r, 0, 7); pen.fill();
    pen.fillStyle = "#fff";
    pen.beginPath();
    for (const [d, a] of [[0.9, 0], [0.7, 2.5], [0.7, -2.5]]) pen.lineTo(px + r * d * Math.cos(yaw + a), py - r * d * Math.sin(yaw + a));
    pen.fill();
    this.labels(pen, at, colour, [px - r, py - r, px + r, py + r]);
  },

  // Labels, most useful first: the object under the pointer, rooms, large furniture. A label that would cover another or
  // the robot is tried a line higher and lower, and omitted if there is no space: the pointer shows it.
  labels(pen, at, colour, robot) {
    const size = 11 * devicePixelRatio, spoken = (name) => name.replace(/_/g, " ");
    const taken = [robot];
    pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineJoin = "round"; pen.lineWidth = 3 * devicePixelRatio;
    const write = (text, x, y, font, ink, halo, always) => {
      pen.font = font;
      const half = pen.measureText(text).width / 2 + 2, canvas = pen.canvas;
      const middle = Math.min(Math.max(x, half), canvas.width - half);
      for (const shift of [0, -1.5, 1.5]) {
        const line = Math.min(Math.max(y + shift * size, 0.7 * size), canvas.height - 0.7 * size);
        const box = [middle - half, line - 0.6 * size, middle + half, line + 0.6 * size];
        if (!always && taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
        taken.push(box);
        pen.strokeStyle = halo; pen.strokeText(text, middle, line);
        pen.fillStyle = ink; pen.fillText(text, middle, line);
        return;
      }
    };
    const thing = [...this.content.loose, ...this.content.fixed].find(({ name }) => name === this.pointed);
    const plain = `${size}px system-ui, sans-serif`, bold = `600 ${size}px system-ui, sans-serif`;
    if (thing) write(spoken(thing.name), ...at(thing.x, thing.y), bold, colour("--ink"), colour("--card"), true);
    for (const room of this.content.rooms) write(spoken(room.kind), ...at((room.floor[0] + room.floor[2]) / 2, (room.floor[1] + room.floor[3]) / 2), bold, colour("--ink"), colour("--room"));
    const large = this.content.fixed.filter(({ half }) => Math.max(...half) < 3).sort((a, b) => b.half[0] * b.half[1] - a.half[0] * a.half[1]);
    for (const piece of large) if (piece !== thing) write(spoken(piece.kind), ...at(piece.x, piece.y), plain, colour("--soft"), colour("--card"));
  },

  // Label the object under the pointer at a position of the canvas (CSS pixels).
  point(x, y) {
    const name = this.content && x >= 0 ? this.at(x, y) : "";
    if (name === this.pointed) return;
    this.pointed = name;
    document.getElementById("map").title = name.replace(/_/g, " ");
    this.draw();
  },

  box(pen, at, scale, thing, fill) {
    const [px, py] = at(thing.x, thing.y);
    pen.save();
    pen.translate(px, py);
    pen.rotate(-thing.yaw);
    const half = thing.half.map((value) => Math.max(value * scale, 2));
    pen.fillStyle = fill;
    pen.fillRect(-half[0], -half[1], 2 * half[0], 2 * half[1]);
    pen.strokeRect(-half[0], -half[1], 2 * half[0], 2 * half[1]);
    pen.restore();
  },

  // Name at a position of the canvas (CSS pixels): the smallest object there, else the room.
  at(px, py) {
    if (!this.view) return "";
    const { x0, y1, scale, left, top } = this.view;
    const x = x0 + (px * devicePixelRatio - left) / scale, y = y1 - (py * devicePixelRatio - top) / scale;
    const near = 5 * devicePixelRatio / scale;
    const inside = (thing) => {
      const dx = x - thing.x, dy = y - thing.y, c = Math.cos(thing.yaw), s = Math.sin(thing.yaw);
      return Math.abs(c * dx + s * dy) <= thing.half[0] + near && Math.abs(-s * dx + c * dy) <= thing.half[1] + near;
    };
    const things = [...this.content.loose, ...this.content.fixed].filter(inside).sort((a, b) => a.half[0] * a.half[1] - b.half[0] * b.half[1]);
    const room = this.content.rooms.find(({ floor }) => x >= floor[0] && x <= floor[2] && y >= floor[1] && y <= floor[3]);
    return things[0]?.name ?? room?.name ?? "";
  },
};
