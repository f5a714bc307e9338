// Keeps a copy of the page: it works without a network once it has been loaded. scripts/web-page.sh writes the names of
// the files, and a version that depends on all of them, so that another version of any file is another copy.
const VERSION = "@VERSION@";
const FILES = ["@FILES@"];

const prefix = `plumb ${self.registration.scope} `;
const name = prefix + VERSION;
// The page itself, by both of its addresses.
const page = new URL("./", self.registration.scope).pathname;
const isPage = request => request.mode === "navigate" && [page, page + "index.html"].includes(new URL(request.url).pathname);

self.addEventListener("install", event => {
  // Not from the browser's own cache, which may have files of another version.
  const fresh = FILES.map(file => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(name).then(cache => cache.addAll(fresh)));
});

// A new version waits until no page uses the old one, so no page gets files of both.
self.addEventListener("activate", event => {
  event.waitUntil(caches.keys()
    .then(names => Promise.all(names.filter(other => other.startsWith(prefix) && other !== name).map(other => caches.delete(other))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", event => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(name).then(cache => cache.match(isPage(event.request) ? "./" : event.request))
    .then(kept => kept ?? fetch(event.request)));
});
