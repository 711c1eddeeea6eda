"use strict";
/* The address after # is NAME?QUERY: what is on show (tasks, episodes, task-3, episode-7, episode-7-round-2, side, or a part of the
   overview), and the filter, the order of tables and the two episodes of a comparison. Everything on show follows from it. */
const byId = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function address() {
  const [name, query] = location.hash.slice(1).split("?");
  return {name, query: new URLSearchParams(query || "")};
}

function hash(name, query) {
  const parts = [...query].map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  return `#${name}${parts.length ? `?${parts.join("&")}` : ""}`;
}

/* Show something else, and keep the filter. The two episodes of a comparison go with it. */
function go(name, more = {}) {
  const {query} = address();
  for (const key of ["left", "right"]) query.delete(key);
  for (const [key, value] of Object.entries(more)) query.set(key, value);
  location.hash = hash(name, query);
}

/* Change the filter, the order or the comparison of what is on show, without a step in the history. */
function change(edit) {
  const {name, query} = address();
  edit(query);
  history.replaceState(null, "", hash(name, query));
  render();
}
