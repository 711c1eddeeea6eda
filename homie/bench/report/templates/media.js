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
