// Shows what the server sends, and a banner if it sends nothing.
const { $ } = Panel;
let source = null, run = null, lastID = null, lastFrame = 0, tried = 0, frame = null;
let hasEnded = false, refusal = null;
const token = new URLSearchParams(location.search).get("token");

const address = (path, more = {}) => {
  const query = new URLSearchParams(token ? { token, ...more } : more).toString();
  return path + (query ? "?" + query : "");
};

const connect = () => {
  if (source) source.close();
  tried = performance.now();
  source = new EventSource(address("events", lastID ? { after: lastID } : {}));
  source.addEventListener("hello", event => hello(JSON.parse(event.data)));
  source.addEventListener("frame", event => take(JSON.parse(event.data)));
  source.addEventListener("note", event => note(event.lastEventId, JSON.parse(event.data)));
  source.addEventListener("bye", () => { hasEnded = true; });
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) ask(); };
};

// The browser does not tell why the connection was refused: ask again in a way that does.
const ask = () => fetch(address("state.json"), { method: "HEAD", cache: "no-store" }).then(
  answer => { refusal = answer.ok ? null : answer.status; }, () => { refusal = null; });

const hello = setting => {
  if (run !== setting.run) {
    frame = null;
    Panel.forget();
  }
  run = setting.run;
  [hasEnded, refusal] = [false, null];
  Panel.begin(setting);
};

const take = figures => {
  lastFrame = performance.now();
  frame = figures;
  Panel.take(figures);
};

const note = (id, event) => {
  if (id) {
    // After a reconnection, earlier events may come a second time.
    if (lastID && id.split("-")[0] === lastID.split("-")[0] && +id.split("-")[1] <= +lastID.split("-")[1]) return;
    lastID = id;
  }
  Panel.note(event);
};

// Looks after the connection, and says how old the picture is.
const watch = () => {
  const now = performance.now();
  const silence = (now - lastFrame) / 1000;
  const isLost = lastFrame > 0 ? silence > 2 : now > 4000;
  const isStuck = !isLost && frame && frame.age_s > 2;
  let words = null, age = "";
  if (isLost) {
    words = refusal === 401 ? "The token is no longer valid: use the address that plumb serve printed."
      : refusal === 403 ? "The server rejects this host name: use localhost or 127.0.0.1."
      : refusal === 503 ? "Too many viewers. Trying again."
      : hasEnded ? "plumb serve has ended. Waiting for it to come back." : "Connection lost. Trying again.";
    if (lastFrame > 0) age = `This picture is ${Panel.duration(silence)} old.`;
    // A wrong token stays wrong, and every attempt with one counts (docs/serve.md).
    if (now - tried > (refusal === 401 ? 60000 : source.readyState === EventSource.CLOSED ? 2000 : 6000)) connect();
  } else if (isStuck) {
    words = "No response from the sensor.";
    age = `This picture is ${Panel.duration(frame.age_s)} old.`;
  }
  if (lastFrame > 0) document.body.classList.remove("waiting");
  Panel.show(lastFrame > 0 ? "live" : "connecting", words, age);
};

$("pause").addEventListener("click", () => {
  Panel.pause(!Panel.isPaused);
  watch();
});
window.addEventListener("pagehide", () => source && source.close());
window.addEventListener("pageshow", event => { if (event.persisted) connect(); });
connect();
setInterval(watch, 500);
