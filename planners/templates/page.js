// The page of the person who answers. Content from robots is inserted as text and pictures, never as markup.
"use strict";

const element = (name) => document.getElementById(name);
const make = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });
const CAPTION = 60; // maximum characters of a text before a picture that counts as its caption
const drafts = new Map(); // unsent answers by question number, kept when another question is shown
let shown = 0; // number of the question on the page, 0 for none

// ---------------------------------------------------------------- the prompt

function partsOf(content) {
  if (typeof content === "string") return [{ text: content }];
  if (!Array.isArray(content)) return [{ text: JSON.stringify(content, null, 2) }];
  return content.map((part) => {
    const address = part?.image_url?.url ?? "";
    if (address.startsWith("data:image/")) return { picture: address, detail: part.image_url.detail };
    return { text: typeof part?.text === "string" ? part.text : JSON.stringify(part, null, 2) };
  });
}

function picture(part, caption) {
  const figure = make("figure");
  if (caption) figure.append(make("figcaption", caption));
  const image = Object.assign(make("img"), { src: part.picture, alt: caption || "picture", tabIndex: 0 });
  const enlarge = () => figure.classList.toggle("large");
  image.addEventListener("click", enlarge);
  image.addEventListener("keydown", (event) => { if (event.key === "Enter") enlarge(); });
  const size = make("small");
  image.addEventListener("load", () => {
    const detail = part.detail ? `, detail ${part.detail}` : "";
    size.textContent = `${image.naturalWidth} x ${image.naturalHeight}${detail}`;
  });
  figure.append(image, size);
  return figure;
}

function filled(message) {
  const box = make("div");
  box.className = "parts";
  const parts = partsOf(message.content);
  parts.forEach((part, place) => {
    const before = parts[place - 1];
    if (part.picture) {
      box.append(picture(part, isCaption(before, part) ? before.text : ""));
    } else if (!isCaption(part, parts[place + 1])) {
      box.append(make("pre", part.text));
    }
  });
  return box;
}

function isCaption(part, next) {
  return Boolean(part?.text && next?.picture && part.text.length <= CAPTION && !part.text.includes("\n"));
}

function article(message) {
  const card = make("article");
  const characters = partsOf(message.content).reduce((sum, part) => sum + (part.text ?? "").length, 0);
  card.append(make("h2", `${message.role}, ${characters} characters of text`), filled(message));
  return card;
}

// ---------------------------------------------------------------- answer templates, from the schema

function schemaOf(body) {
  const format = body.response_format ?? {};
  return format.json_schema?.schema ?? format.schema ?? null;
}

// Values that a schema allows, as [name of the choice, value]: one for each variant and action.
// Nullable values start as null.
function choices(schema) {
  if (schema.anyOf?.some((variant) => variant.type === "null")) return [["", null]];
  if (schema.anyOf) return schema.anyOf.flatMap(choices);
  if (schema.enum) return schema.enum.map((value) => [String(value), value]);
  if (schema.type === "array") return choices(schema.items ?? {}).map(([name, value]) => [name, [value]]);
  if (schema.type !== "object") return [["", ""]];
  let options = [["", {}]];
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    const inside = choices(inner);
    const several = key === "model" ? inside.slice(0, 1).map(([, value]) => ["", value]) : inside;
    options = options.flatMap(([name, value]) =>
      several.map(([more, chosen]) => [name || more, { ...value, [key]: chosen }]));
  }
  return options;
}

function startButtons(body) {
  const schema = schemaOf(body);
  const options = schema ? choices(schema).slice(0, 24) : [];
  return options.map(([name, value]) => {
    const button = Object.assign(make("button", name || "Start"), { type: "button" });
    button.addEventListener("click", () => write(JSON.stringify(value, null, 1)));
    return button;
  });
}

// Insert a template into the answer, with the cursor at its first empty text.
function write(text) {
  const field = element("text");
  field.value = text;
  const place = text.indexOf('""');
  field.focus();
  field.setSelectionRange(place < 0 ? text.length : place + 1, place < 0 ? text.length : place + 1);
}

// ---------------------------------------------------------------- the desk

function show(question) {
  if (shown) drafts.set(shown, element("text").value);
  shown = question?.number ?? 0;
  element("desk").hidden = !question;
  element("problem").textContent = "";
  if (!question) {
    element("prompt").replaceChildren();
    return;
  }
  const { messages, ...rest } = question.body;
  element("prompt").replaceChildren(...messages.map(article));
  element("starts").replaceChildren(...startButtons(question.body));
  element("asked").querySelector("pre").textContent = JSON.stringify(rest, null, 1);
  element("text").value = drafts.get(shown) ?? "";
  element("text").focus({ preventScroll: true });
  showLast();
}

// The question itself is the last message. Pictures have no height before they are decoded.
async function showLast() {
  await Promise.allSettled([...document.querySelectorAll("#prompt img")].map((image) => image.decode()));
  element("prompt").lastElementChild?.scrollIntoView();
}

function tell({ waiting, question }) {
  const more = waiting > 1 ? `, ${waiting - 1} more wait` : "";
  element("status").textContent = question ? `Question ${question.number}${more}.` : "Nobody asks at the moment.";
  document.title = question ? `(${waiting}) Homie asks` : "Homie: nobody asks";
}

async function send(event) {
  event.preventDefault();
  const text = element("text").value;
  const number = shown;
  const headers = { "Content-Type": "application/json" };
  const sent = await fetch("api/answer", { method: "POST", headers, body: JSON.stringify({ number, text }) });
  if (!sent.ok) {
    element("problem").textContent = (await sent.json()).error.message;
    return;
  }
  drafts.delete(number);
  element("text").value = "";
  const entry = make("li");
  entry.append(make("pre", text));
  element("past").querySelector("ol").append(entry);
}

async function watch() {
  let after = -1;
  for (;;) {
    try {
      const got = await fetch(`api/waiting?after=${after}`);
      if (!got.ok) throw new Error((await got.json()).error.message);
      const news = await got.json();
      after = news.changes;
      tell(news);
      if ((news.question?.number ?? 0) !== shown) show(news.question);
    } catch (error) {
      element("status").textContent = `The server cannot be reached: ${error.message}`;
      after = -1;
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

element("desk").addEventListener("submit", send);
element("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) element("desk").requestSubmit();
});
watch();
