// The page: chooses what is the board, lets the module decide, and hands the panel what to draw.
(() => {
  const { $ } = Panel;
  const GRAVITY = 9.80665;
  // A picture every so many ms.
  const FRAME = 33;
  // How many events of a recording are kept for saving.
  const MOST_EVENTS = 100_000;

  let plumb = null, source = null, lastFrame = 0;

  const say = (state, words) => {
    Panel.set($("said"), words);
    $("said").className = state;
  };

  /** What is shown of a board: its figures, its past and its events. */
  class View {
    constructor(title, board, { isWhole = false, hasClock = true } = {}) {
      [this.board, this.isWhole] = [board, isWhole];
      [this.attitude, this.history] = [new Attitude(), new Past(isWhole ? 0.02 : 0.1, isWhole)];
      [this.reading, this.moved, this.pose, this.interval] = [null, null, null, this.history.interval];
      const lamps = POSES.letters.map((label, pose) => ({ label, pose }));
      Panel.forget(hasClock);
      this.setting = { title, lamps, interval: this.interval, slices: [] };
      Panel.begin(this.setting);
      if (isWhole) Chart.reset(this.interval, true);
    }

    /** Takes events as the module has them. */
    heard(events) {
      for (const event of events) {
        if (event.event === "pose") this.pose = POSES.names.indexOf(event.to);
        if (event.event === "trouble") this.pose = null;
        const isDoubt = event.event === "trouble" && event.reason !== "fault" && event.reason !== "stale";
        if (isDoubt || ["rotation", "still", "moving"].includes(event.event)) continue;
        const weight = event.event === "trouble" ? "trouble" : event.event === "recovery" ? "relief" : "remark";
        Panel.note({ t: event.t, text: event.words ?? event.detail ?? event.event, weight });
      }
    }

    /** Takes the force of a sample in g, or null if there was none. */
    sampled(force, time) { this.history.take(force, this.pose, time); }

    /** Hands the panel the figures of now. */
    show() {
      const { board } = this, now = board.snapshot, reading = board.reading;
      const number = POSES.names.indexOf(now.pose);
      const isFresh = now.x !== null && !["fault", "stale", "notYetSampled"].includes(now.pose);
      if (reading) this.reading = reading;
      if (isFresh && this.reading) this.#move(this.reading);
      const last = this.reading, isFused = last?.certainty !== undefined;
      const known = isFresh && last ? last : {};
      if (this.isWhole) {
        Chart.reset(this.history.interval, true);
        this.history.sent = 0;
      }
      Panel.take({
        t: now.t, age_s: 0, pose: number < 0 ? "unknown" : now.pose, number: number < 0 ? null : number,
        reason: number < 0 ? now.pose : null, meaning: number < 0 ? now.words : plumb.vocabulary.poses[number].meaning,
        x: isFresh ? now.x : null, y: isFresh ? now.y : null, z: isFresh ? now.z : null,
        angle_deg: known.angle_deg, pitch_deg: known.pitch_deg, roll_deg: known.roll_deg, inclination_deg: known.inclination_deg,
        steering_deg: last?.steering_deg ?? 0, scroll: last?.scroll ?? [0, 0], lit: board.lines, attitude: this.attitude.axes,
        still: now.still, heading_deg: known.heading_deg ?? null, certainty: known.certainty ?? null,
        bias_dps: isFused && last.certainty !== "starting" ? last.bias_dps : null, temperature_c: now.counters.temperature_c ?? null,
        clipped_samples: isFused ? now.counters.clipped_samples ?? 0 : null, vibration: null,
        counters: now.counters, slices: this.history.news(),
      });
    }

    #move(reading) {
      const seconds = this.moved === null ? 0 : reading.t - this.moved;
      this.moved = reading.t;
      if (reading.up && Number.isFinite(reading.heading_deg)) this.attitude.show(reading.up, reading.heading_deg * Math.PI / 180);
      else this.attitude.follow(reading.up ?? reading.gravity, seconds);
    }
  }

  // Each of these is a board: `frame` is called for each picture, `stop` when another one is chosen.

  class PhoneSource {
    async begin() {
      const why = Phone.obstacle(window);
      $("start").hidden = why !== null;
      if (why) return say("off", why);
      say("waiting", "Press the button to begin; the browser may ask for your permission.");
      // Where nobody is asked, the button would be a step for nothing.
      if (matchMedia("(pointer:coarse)").matches && await Phone.isGranted(window) && source === this) await this.listen(false);
    }

    async listen(asks = true) {
      this.phone?.stop();
      this.phone = new Phone.Listener((...sample) => this.#sample(...sample), say);
      await this.phone.start(asks);
      $("start").hidden = this.phone.isListening;
    }

    async #sample(time, force, rotation) {
      // What comes while a monitor is being made is left out.
      if (!this.view) {
        if (this.isMaking) return;
        this.isMaking = true;
        const monitor = await plumb.monitor({ forceUnit: "m/s^2", gravity: rotation ? "fusion" : "low-pass" });
        if (source !== this) return;
        [this.isFused, this.isMaking, this.changes] = [rotation !== null, false, 0];
        return this.view = new View(`this device, ${rotation ? "force and rotation" : "force"}`, monitor);
      }
      // A gyroscope that comes or goes for good needs another filter.
      this.changes = this.isFused === (rotation !== null) ? 0 : this.changes + 1;
      if (this.changes > 30) return this.view = null;
      this.last = time;
      try {
        this.view.heard(this.view.board.sample(time, force, rotation));
      } catch (error) {
        // A sample beyond all limits is none.
        if (!(error instanceof RangeError)) throw error;
      }
      this.view.sampled(force.map(value => value / GRAVITY), time);
    }

    frame(now) {
      if (!this.view) return;
      // A little behind, because the time of an event is that of its sample.
      const time = now / 1000 - 0.1;
      if (time > this.last) {
        this.view.heard(this.view.board.pass(time));
        if (time > this.last + 0.2) this.view.sampled(null, time);
      }
      this.view.show();
    }

    stop() { this.phone?.stop(); }
  }

  class EmulatedSource {
    async begin() {
      this.board = await plumb.emulatedBoard({ freeFall: true });
      if (source !== this) return;
      this.view = new View("emulated MPU-6050", this.board);
      this.hand = new EmulatedHand(this.board, POSES.names);
      this.hand.move($("kind").value);
      this.adjust();
      say("live", "An emulated sensor, read through an emulated bus by Plumb’s own driver.");
    }

    adjust() {
      if (!this.board) return;
      this.board.noise = Number($("noise").value);
      this.board.fault = $("fault").value || null;
    }

    frame(now) {
      if (!this.view) return;
      const seconds = Math.min(0.1, (now - (this.shown ?? now)) / 1000);
      this.shown = now;
      this.hand.advance(seconds, this.view.attitude.axes, events => {
        this.view.heard(events);
        const { reading } = this.board;
        this.view.sampled(reading ? [reading.x, reading.y, reading.z] : null, this.board.time);
      });
      this.view.show();
    }

    stop() {}
  }

  class RecordingSource {
    constructor(file = null) { this.file = file; }

    async begin() {
      $("save").disabled = true;
      if (!this.file) return say("waiting", "No file yet.");
      [this.events, this.kept] = [[], 0];
      say("waiting", `Reading ${this.file.name}.`);
      const samples = [];
      const reader = new Recordings.RecordingReader(this.file.name, (...sample) => samples.push(sample));
      let trouble = null;
      try {
        const bytes = this.file.stream().getReader();
        for (let piece = await bytes.read(); !piece.done; piece = await bytes.read()) {
          // In small pieces, so that few samples wait.
          for (let at = 0; at < piece.value.length; at += 1 << 15) {
            try { reader.push(piece.value.subarray(at, at + (1 << 15))); } finally { await this.#play(reader, samples); }
            if (this.isStopped) return bytes.cancel();
          }
        }
        try { reader.end(); } finally { await this.#play(reader, samples); }
      } catch (error) {
        trouble = error instanceof Recordings.RecordingError ? error.message
          : error instanceof DOMException ? `${this.file.name}: the file cannot be read: ${error.message}` : null;
        if (trouble === null) throw error;
      }
      if (this.isStopped) return;
      this.view?.show();
      $("save").disabled = this.events.length === 0;
      const count = (number, one, more) => `${number.toLocaleString("en-GB")} ${number === 1 ? one : more}`;
      const summary = this.view && `${count(reader.samples, "sample", "samples")} in ${this.length.toFixed(2)} s, ${count(this.kept, "event", "events")}`
        + (this.kept > this.events.length ? `, of which the first ${count(this.events.length, "is", "are")} kept` : "");
      if (trouble) say("off", trouble + (summary ? ` (before that: ${summary})` : ""));
      else say("live", `${this.file.name}: ${summary}.`);
    }

    // Takes the samples that have been read, at once or when they are due.
    async #play(reader, samples) {
      if (samples.length > 0 && !this.view) {
        const board = await plumb.monitor({ ...reader.units, recorded: true });
        if (this.isStopped) return;
        this.view = new View(this.file.name, board, { isWhole: true, hasClock: false });
        [this.first, this.length, this.began] = [samples[0][0], 0, performance.now()];
      }
      const scale = reader.columns?.scale ?? 1;
      let rest = performance.now();
      for (const [time, force, rotation] of samples.splice(0)) {
        const elapsed = time - this.first;
        while (this.isPaced && (performance.now() - this.began) / 1000 < elapsed && !this.isStopped) await pause();
        const events = this.view.board.sample(time, force, rotation);
        this.view.heard(events);
        for (const { words, ...event } of events) if (++this.kept <= MOST_EVENTS) this.events.push(JSON.stringify(event));
        this.length = Math.max(this.length, elapsed);
        this.view.sampled(force.map(value => value / scale), Math.max(0, elapsed));
        if (performance.now() - rest < 25) continue;
        await pause();
        rest = performance.now();
        if (this.isStopped) return;
      }
    }

    get word() { return "recording"; }

    get isPaced() { return $("speed").value === "realtime"; }

    frame() { this.view?.show(); }

    stop() { this.isStopped = true; }

    save() {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([this.events.map(line => line + "\n").join("")], { type: "application/jsonl" }));
      link.download = this.file.name.replace(/\.[^.]*$/, "") + ".jsonl";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }
  }

  class SerialSource {
    async begin() {
      const why = Serial.obstacle(window);
      $("connect").hidden = why !== null;
      say(why ? "off" : "waiting", why ?? "Choose the port of a board.");
    }

    async connect() {
      let port = null;
      try {
        port = await navigator.serial.requestPort();
      } catch {
        return say("waiting", "No port was chosen.");
      }
      await this.line?.close();
      const reader = await plumb.streamReader();
      [this.view, this.owner, this.reader, this.isOpen] = [null, null, reader, true];
      this.heardAt = this.askedAt = performance.now();
      const line = new Serial.Line(port, reader.request, bytes => { if (line === this.line) this.#heard(bytes); }, (state, words) => {
        if (source !== this || line !== this.line) return;
        if (state === "off") {
          this.isOpen = false;
          this.#lost();
        }
        say(state, words);
      });
      this.line = line;
      await line.run();
    }

    #heard(bytes) {
      this.heardAt = performance.now();
      for (const message of this.reader.push(bytes)) {
        if (source !== this) return;
        if (message.event === "hello") {
          const title = [message.sensor, message.board].filter(text => typeof text === "string").join(", ") || "live board";
          // Another owner is a board that was started again: its time begins anew.
          if (!this.view || this.owner !== message.owner) this.view = new View(title, this.reader);
          this.owner = message.owner;
          this.line.send('{"samples":20}\n{"counters":5}\n');
          say("live", `Reading ${title}.`);
        } else if (message.event === "refused") {
          say("off", `The board sent a line that is not Plumb’s: ${message.detail} Waiting for its next hello.`);
        } else if (message.event === "sample") {
          this.view?.sampled([message.x, message.y, message.z], message.t);
        } else if (message.event === "missed") {
          this.view && Panel.note({ text: `${message.count} lines were lost: this page was too slow`, weight: "trouble" });
        } else if (message.event === "bye" || message.event === "error") {
          this.view && Panel.note({ text: String(message.detail), weight: "trouble" });
        } else if (plumb.vocabulary.events.includes(message.event)) {
          this.view?.heard([message]);
        }
      }
    }

    #lost() {
      this.reader.forget();
      this.view?.show();
    }

    // A board that is silent is asked for its hello, and after 5 s nothing is known of it, as docs/stream.md has it.
    frame(now) {
      this.view?.show();
      if (!this.isOpen) return;
      const silence = now - this.heardAt;
      if ((silence > 2000 || !this.reader.isKnown) && now - this.askedAt > 2000) {
        this.askedAt = now;
        this.line.send(this.reader.request);
      }
      if (silence > 5000 && this.reader.isKnown) {
        this.#lost();
        say("off", "The board has been silent for 5 s. Waiting for its next hello.");
      }
    }

    stop() { this.line?.close(); }
  }

  const pause = () => new Promise(done => document.hidden ? setTimeout(done, 0) : requestAnimationFrame(done));

  const SOURCES = { phone: PhoneSource, emulated: EmulatedSource, recording: RecordingSource, serial: SerialSource };

  const choose = async (name, made = new SOURCES[name]()) => {
    source?.stop();
    source = made;
    for (const key in SOURCES) $(key).hidden = key !== name;
    for (const input of document.getElementsByName("source")) input.checked = input.value === name;
    document.body.className = name;
    const board = $("board");
    if (name === "emulated") {
      board.setAttribute("tabindex", "0");
      board.setAttribute("aria-describedby", "how");
    } else {
      board.removeAttribute("tabindex");
      board.removeAttribute("aria-describedby");
    }
    await made.begin();
  };

  const tick = now => {
    requestAnimationFrame(tick);
    if (now - lastFrame < FRAME - 2) return;
    lastFrame = now;
    source?.frame(now);
    const state = $("said").className;
    Panel.show(state === "live" || state === "slow" ? source.word ?? "live" : state);
  };

  const buttons = () => {
    $("poses").replaceChildren(...POSES.names.map((name, number) => {
      const button = document.createElement("button");
      [button.type, button.textContent] = ["button", POSES.short[number]];
      button.addEventListener("click", () => source.hand?.turnTo(name));
      return button;
    }));
    for (const button of $("turns").querySelectorAll("[data-turn]")) {
      button.addEventListener("click", () => source.hand?.turn(button.dataset.turn.split(",").map(Number)));
    }
    $("shake").addEventListener("click", () => source.hand?.shake());
    $("drop").addEventListener("click", () => source.hand?.drop());
    $("brown-out").addEventListener("click", () => source.board?.brownOut());
    $("kind").addEventListener("change", () => source.hand?.move($("kind").value));
    $("fault").addEventListener("change", () => source.adjust?.());
    $("noise").addEventListener("input", () => {
      Panel.set($("noise-text"), `${Number($("noise").value).toFixed(3)} g`);
      source.adjust?.();
    });
    $("start").addEventListener("click", () => source.listen?.());
    $("connect").addEventListener("click", () => source.connect?.());
    $("save").addEventListener("click", () => source.save?.());
    $("file").addEventListener("change", () => { if ($("file").files.length > 0) open($("file").files[0]); });
    $("speed").addEventListener("change", () => { if (source.file) open(source.file); });
    $("pause").addEventListener("click", () => Panel.pause(!Panel.isPaused));
    for (const input of document.getElementsByName("source")) {
      input.addEventListener("change", () => choose(input.value));
    }
  };

  const open = file => choose("recording", new RecordingSource(file));

  // A hand on the board: how far a pointer goes is how far it turns.
  const KEYS = { ArrowLeft: [0, -15, 0], ArrowRight: [0, 15, 0], ArrowUp: [-15, 0, 0], ArrowDown: [15, 0, 0], "<": [0, 0, 15], ">": [0, 0, -15] };
  const hands = () => {
    const board = $("board");
    let from = null;
    board.addEventListener("pointerdown", event => {
      if (!source.hand) return;
      board.setPointerCapture(event.pointerId);
      from = [event.clientX, event.clientY];
    });
    board.addEventListener("pointermove", event => {
      if (!from || !source.hand) return;
      const scale = 180 / board.clientWidth;
      source.hand.turn([(event.clientY - from[1]) * scale, (event.clientX - from[0]) * scale, 0]);
      from = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) board.addEventListener(end, () => { from = null; });
    board.addEventListener("keydown", event => {
      if (!source.hand || !KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      source.hand.turn(KEYS[event.key]);
    });
    addEventListener("dragover", event => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
    addEventListener("drop", event => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      if (event.dataTransfer.files.length > 0) open(event.dataTransfer.files[0]);
    });
  };

  const begin = async () => {
    try {
      plumb = await (await import("./plumb.js")).load();
    } catch (error) {
      return say("off", `The module cannot be loaded: ${error.message}`);
    }
    buttons();
    hands();
    requestAnimationFrame(tick);
    const isHeld = matchMedia("(pointer:coarse)").matches && "DeviceMotionEvent" in window;
    await choose(isHeld ? "phone" : "emulated");
    document.body.dataset.ready = "yes";
  };

  // Keeps a copy of the page, so that it works without a network. Browsers allow that with https, or on this computer.
  if ("serviceWorker" in navigator && isSecureContext) {
    navigator.serviceWorker.register("worker.js").catch(() => { /* Without a copy the page needs a network again. */ });
  }
  begin();
})();
