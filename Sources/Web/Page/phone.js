// The phone as the board: its DeviceMotion events as samples.
//
// - Axes and units: `accelerationIncludingGravity` in m/s², with x to the right, y to the top and z out of the screen of a
//   phone held upright, however the screen turns. `rotationRate` in °/s, where alpha, beta and gamma are about x, y and z
//   in Chrome, Firefox and Safari alike, as the specification says since 2017.
//   Source: https://www.w3.org/TR/orientation-event/, https://github.com/w3c/deviceorientation/issues/44
// - Signs: the specification, Chrome and Firefox have the specific force, +9.8 m/s² upwards at rest. WebKit, the engine of
//   every browser on iOS, has Core Motion's acceleration plus gravity, which is the opposite; rotation is not opposite.
//   Source: https://github.com/w3c/deviceorientation/issues/96, and `sendMotionData` in WebKit's
//   Source/WebCore/platform/ios/WebCoreMotionManager.mm
// - Permission: WebKit asks the user, and only after a tap (`requestPermission`). Chromium has the same function, and by
//   default grants it without asking, so the function does not tell the engines apart.
// - A page that is hidden gets no events, and one that was loaded without https none at all.
const Phone = (() => {
  const GRAVITY = 9.80665;
  // How many orientations must contradict the assumed signs before they are changed.
  const VOTES = 8;

  /**
   * Whether forces have the signs of the specification (1) or of WebKit (-1). The engine is the first guess: its vendor is
   * the same in every browser on iOS. The device's orientation, whose signs are the same everywhere, corrects it, so a
   * browser that changes its mind does no harm; where there is no orientation the guess stays.
   */
  class Signs {
    constructor(vendor) { [this.factor, this.isConfirmed, this.votes] = [/^Apple/.test(vendor) ? -1 : 1, false, 0]; }

    /** Compares a force with the orientation of about the same time: angles in degrees. Returns whether the signs change. */
    judge([x, y, z], beta, gamma) {
      const [b, g] = [beta, gamma].map(angle => angle * Math.PI / 180);
      // The direction of up in the device's frame, of the rotation Z-X'-Y'' that the specification prescribes.
      const along = -x * Math.cos(b) * Math.sin(g) + y * Math.sin(b) + z * Math.cos(b) * Math.cos(g);
      const size = Math.hypot(x, y, z);
      // Only near rest and clearly one way or the other.
      if (!(Math.abs(size - GRAVITY) < 2 && Math.abs(along) > 0.8 * size)) return false;
      this.votes = Math.max(-VOTES, Math.min(VOTES, this.votes + (along * this.factor > 0 ? 1 : -1)));
      this.isConfirmed = this.votes === VOTES;
      if (this.votes > -VOTES) return false;
      [this.factor, this.votes] = [-this.factor, 0];
      return true;
    }
  }

  /** Why there can be no events, in words; null if there may be some. */
  const obstacle = scope =>
    !scope.isSecureContext ? "Motion sensors need https: open this page by an address that begins with https."
      : !("DeviceMotionEvent" in scope) ? "This browser has no motion events." : null;

  /** Whether the sensors can be read without a tap of the user first. */
  const isGranted = async scope => {
    if (typeof scope.DeviceMotionEvent.requestPermission !== "function") return true;
    // WebKit does not know this name, and rejects it.
    try { return (await scope.navigator.permissions.query({ name: "accelerometer" })).state === "granted"; } catch { return false; }
  };

  /**
   * Listens to the motion of this device. `take` gets each sample: time in s, force in m/s² as specific force, rotation in
   * °/s or null. `tell` gets what to say: a state (`waiting`, `live`, `slow`, `off`) and words.
   */
  class Listener {
    constructor(take, tell) {
      [this.take, this.tell] = [take, tell];
      this.signs = new Signs(navigator.vendor);
      [this.last, this.empty, this.times, this.hasRotation, this.said] = [null, 0, [], false, ""];
      [this.isListening, this.isStopped] = [false, false];
      this.onMotion = event => this.#motion(event);
      this.onOrientation = event => this.#orientation(event);
      this.onHidden = () => this.#hidden();
    }

    /** Listens; `asks` for permission before that, which must then be during a tap of the user. */
    async start(asks) {
      const why = obstacle(window);
      if (why) return this.#say("off", why);
      if (asks && typeof DeviceMotionEvent.requestPermission === "function") {
        let answer = "";
        try { answer = await DeviceMotionEvent.requestPermission(); } catch { answer = "denied"; }
        if (this.isStopped) return;
        if (answer !== "granted") {
          return this.#say("off", "The browser does not allow this page to read the sensors. Safari asks again after it has been closed "
            + "and opened; Chrome has the permission in its settings for this site.");
        }
      }
      this.#say("waiting", "Waiting for the first motion event.");
      addEventListener("devicemotion", this.onMotion);
      addEventListener("deviceorientation", this.onOrientation);
      document.addEventListener("visibilitychange", this.onHidden);
      this.watch = setInterval(() => this.#check(), 1000);
      [this.began, this.isListening] = [performance.now(), true];
    }

    stop() {
      this.isStopped = true;
      removeEventListener("devicemotion", this.onMotion);
      removeEventListener("deviceorientation", this.onOrientation);
      document.removeEventListener("visibilitychange", this.onHidden);
      clearInterval(this.watch);
    }

    #say(state, words) {
      if (words === this.said) return;
      this.said = words;
      this.tell(state, words);
    }

    #motion(event) {
      const force = event.accelerationIncludingGravity, rate = event.rotationRate;
      const values = force ? [force.x, force.y, force.z] : [null];
      // A device without sensors sends one event with nothing in it.
      if (!values.every(Number.isFinite)) { this.empty++; return this.#check(); }
      const about = rate ? [rate.alpha, rate.beta, rate.gamma] : [null];
      this.hasRotation = about.every(Number.isFinite);
      this.last = values;
      this.times.push(event.timeStamp);
      if (this.times.length > 240) this.times.splice(0, 120);
      this.take(event.timeStamp / 1000, values.map(value => value * this.signs.factor), this.hasRotation ? about : null);
      if (this.times.length === 1) this.#check();
    }

    #orientation({ beta, gamma }) {
      if (this.last && Number.isFinite(beta) && Number.isFinite(gamma)) this.signs.judge(this.last, beta, gamma);
    }

    #hidden() {
      if (document.hidden) this.#say("off", "This page was hidden. A hidden page gets no motion events, so the pose is unknown.");
      else { this.times = []; this.began = performance.now(); this.#say("waiting", "Waiting for the next motion event."); }
    }

    // Looks at what has come in the last two seconds.
    #check() {
      if (document.hidden) return;
      const now = performance.now();
      const count = this.times.filter(time => now - time < 2000).length;
      if (count === 0) {
        if (now - this.began < 2500 && this.empty === 0) return;
        return this.#say("off", this.times.length > 0 ? "No motion events arrive any more."
          : this.empty > 0 ? "This device has no motion sensor, or the browser does not show it to pages."
          : "No motion event has come. This device may have no sensor, or the browser's settings block motion sensors for this page.");
      }
      const age = Math.min(2, (now - this.began) / 1000);
      const rate = Math.round(count / Math.max(age, 0.5));
      const gyroscope = this.hasRotation ? "with its gyroscope" : "without a gyroscope: gravity comes from the force alone";
      const signs = this.signs.factor < 0 ? ", signs as on iOS" : "";
      if (age > 1.9 && rate < 20) {
        return this.#say("slow", `This browser sends only some ${Math.max(5, Math.round(rate / 5) * 5)} events a second, perhaps to save power: poses come later.`);
      }
      this.#say("live", `Reading this device ${gyroscope}${signs}.`);
    }
  }
  return { Listener, Signs, obstacle, isGranted };
})();
