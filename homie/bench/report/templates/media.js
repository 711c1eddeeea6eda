/* Pictures and videos lie behind everything else, by episode; they are put in place when an episode is shown. */
function fill(root, number) {
  const store = byId(`media-${number}`);
  if (!store) return;
  const {shown, full} = JSON.parse(store.textContent);
  for (const picture of all("img[data-media]:not([src])", root)) {
    const at = shown[picture.dataset.media];
    if (!at) picture.closest("figure").hidden = true;  // a file that a kill has torn
    else picture.src = shown[at] || at;  // the name of an equal picture, or the address
  }
  for (const link of all("a[data-full]:not([href])", root)) if (full[link.dataset.full]) link.href = full[link.dataset.full];
  for (const film of all("video[data-media]:not([src])", root)) {
    if (shown.poster) film.poster = shown.poster;
    film.src = shown.video;
  }
}

/* The episodes on the first screen: the poster of the video, else the first picture. */
function shoot() {
  for (const link of all("[data-shot]")) {
    const store = byId(`media-${link.dataset.shot}`);
    if (!store) continue;
    const {shown} = JSON.parse(store.textContent);
    const name = Object.keys(shown).find((key) => key.endsWith("-front")) || Object.keys(shown).find((key) => key !== "video" && key !== "poster");
    const at = shown.poster || shown[name];
    if (!at) continue;
    const picture = document.createElement("img");
    picture.alt = "";
    picture.src = shown[at] || at;
    link.prepend(picture);
  }
}
