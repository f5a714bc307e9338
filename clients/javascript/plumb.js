// Plumb's core in a browser or in Node. plumb.d.ts documents what this module offers; docs/using-from-javascript.md has
// examples.
//
// Swift decides everything about samples, events and lines, in plumb.wasm.gz. What is here checks and scales numbers,
// and moves the emulated board, which is what a hand would do.

/** Loads the module. */
export async function load(source = new URL("plumb.wasm.gz", import.meta.url)) {
  const module =
    source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await unpacked(await bytesOf(source)));
  const { exports } = await WebAssembly.instantiate(module);
  const [{ version, ...vocabulary }] = linesIn(exports, exports.web_vocabulary());
  // A name of a property of every object is no fault.
  const faults = new Map(vocabulary.faults.map((name, number) => [name, number]));
  const context = { module, vocabulary: frozen(vocabulary), faults };
  return Object.freeze({
    version,
    vocabulary: context.vocabulary,
    monitor: async (options = {}) => new Monitor(await instance(context), options),
    emulatedBoard: async (options = {}) => new EmulatedBoard(await instance(context), options),
    streamReader: async () => new StreamReader(await instance(context)),
  });
}

/** How to draw a board. */
export function attitudeOf(reading) {
  const up = reading.up ?? reading.gravity;
  const length = Math.hypot(...up);
  if (!(length > 0.1)) return null;
  const level = shortest(up.map((component) => component / length), [0, 0, 1]);
  const half = ((reading.heading_deg ?? 0) * Math.PI) / 360;
  return multiplied([Math.cos(half), 0, 0, Math.sin(half)], level);
}

// The module.

async function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new TypeError("load takes a URL, bytes or a WebAssembly.Module");
  }
  const url = new URL(source, import.meta.url);
  if (url.protocol === "file:" && typeof process === "object") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The module in `bytes`, which some servers have unpacked already. */
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function instance(context) {
  const { exports } = await WebAssembly.instantiate(context.module);
  return { ...context, exports };
}

const decoder = new TextDecoder();

/** The objects in the first `length` bytes of the memory for text, which has whole lines. */
function linesIn(exports, length) {
  if (length <= 0) return [];
  const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.web_text(), length));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

// Checks.

function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return value === null || typeof value !== "object" ? String(value) : Array.isArray(value) ? "an array" : "an object";
}

function checked(value, name, least, most, unit = "") {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${shown(value)}`);
  if (value >= least && value <= most) return value;
  const words = Number.isFinite(value) ? `${value}` : `${value}, which is no finite number`;
  throw new RangeError(`${name} must be ${least} to ${most}${unit}, not ${words}`);
}

function checkedVector(value, name, most, unit) {
  const isVector = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isVector || value.length !== 3) throw new TypeError(`${name} must be three numbers, not ${shown(value)}`);
  return [0, 1, 2].map((index) => checked(value[index], `${name}[${index}]`, -most, most, unit));
}

function checkedChoice(value, name, choices) {
  if (choices.includes(value)) return value;
  throw new RangeError(`${name} must be one of ${choices.join(", ")}, not ${shown(value)}`);
}

function checkedOptions(options, allowed) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object, not ${shown(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!allowed.includes(name)) throw new TypeError(`there is no option "${name}": there are ${allowed.join(", ")}`);
  }
  return options;
}

// Numbers.

/** The nearest integer, ties away from zero, as Plumb rounds everywhere; `Math.round` rounds ties up. */
function rounded(value) {
  const whole = Math.trunc(value);
  const rest = value - whole;
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

const q16 = (value) => rounded(value * 65536);
const microseconds = (seconds) => rounded(seconds * 1e6);
const longestTime = 1e12;
const greatestForce = 32767;
const greatestRotation = 4000;
const axes = ["+x", "-x", "+y", "-y", "+z", "-z"];
const filters = ["fusion", "low-pass", "adaptive"];

// The keys of BoardSettings in Swift, in its order.
const [
  GRAVITY, MOUNTING_X, MOUNTING_Y, MOUNTING_Z, LEAVE_ANGLE, FACE_ENTER, FACE_LEAVE, DWELL, TAPS, FREE_FALL,
  VIBRATION_PERIOD, ROTATION_TIME, CAPTURES_REST, IS_RECORDED, SUSPECTS,
] = Array(15).keys();

const boardOptions = [
  "mounting", "leaveAngle", "faceEnter", "faceLeave", "dwell", "taps", "freeFall", "vibrationRate", "rotationTime", "rest",
];

/** The settings that boards and monitors have in common. */
function settingsFrom(options, exports) {
  const settings = exports.web_settings();
  const set = (key, value) => exports.web_set(settings, key, value);
  const decide = (key, name) => {
    const value = options[name] ?? false;
    if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false, not ${shown(value)}`);
    set(key, value ? 1 : 0);
  };
  if (options.mounting !== undefined) {
    const names = typeof options.mounting === "string" ? options.mounting.trim().split(/\s+/) : [];
    const numbers = names.map((name) => axes.indexOf(name));
    if (numbers.length !== 3 || numbers.includes(-1)) {
      throw new RangeError(`mounting must be three axes such as "+x +y +z", not ${shown(options.mounting)}`);
    }
    numbers.forEach((number, index) => set(MOUNTING_X + index, number));
  }
  for (const [key, name] of [[LEAVE_ANGLE, "leaveAngle"], [FACE_ENTER, "faceEnter"], [FACE_LEAVE, "faceLeave"]]) {
    if (options[name] === undefined) continue;
    set(key, rounded((checked(options[name], name, 0, 90, "°") / 360) * 2 ** 32));
  }
  if (options.dwell !== undefined) set(DWELL, microseconds(checked(options.dwell, "dwell", 0, 0.999, " s")));
  decide(TAPS, "taps");
  decide(FREE_FALL, "freeFall");
  if (options.vibrationRate !== undefined) {
    set(VIBRATION_PERIOD, rounded(1e6 / checked(options.vibrationRate, "vibrationRate", 1, 5000, " Hz")));
  }
  set(ROTATION_TIME, microseconds(checked(options.rotationTime ?? 0.3, "rotationTime", 0, 60, " s")));
  set(CAPTURES_REST, checkedChoice(options.rest ?? "published", "rest", ["published", "captured"]) === "captured" ? 1 : 0);
  return { settings, set, decide };
}

/** The address of what `make` makes, or the error that is then in the memory for text. */
function made(exports, make, settings) {
  const address = make(settings);
  if (address !== 0) return address;
  const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.web_text(), 400));
  throw new RangeError(JSON.parse(text.slice(0, text.indexOf("\n"))).detail);
}

/** What all boards have in common: the view of the last step. */
class Board {
  #exports;
  #view;

  constructor(exports) {
    this.#exports = exports;
    this.#view = exports.web_view();
  }

  get snapshot() {
    return this._lines(this.#exports.web_snapshot(this.#view))[0];
  }

  get reading() {
    return this._lines(this.#exports.web_reading(this.#view))[0] ?? null;
  }

  get vibration() {
    return this._lines(this.#exports.web_vibration(this.#view))[0] ?? null;
  }

  get lines() {
    const levels = this.#exports.web_levels(this.#view);
    return Array.from({ length: this.#exports.web_line_count(this.#view) }, (_, index) => (levels >>> index) & 1);
  }

  get _view() {
    return this.#view;
  }

  _lines(length) {
    return linesIn(this.#exports, length);
  }
}

class Monitor extends Board {
  #context;
  #exports;
  #monitor;
  #forceScale;
  #rotationScale;

  constructor(context, options) {
    super(context.exports);
    this.#context = context;
    const exports = (this.#exports = context.exports);
    checkedOptions(options, [...boardOptions, "gravity", "forceUnit", "rotationUnit", "recorded", "checks"]);
    const { settings, set, decide } = settingsFrom(options, exports);
    if (options.gravity !== undefined) {
      set(GRAVITY, 1 + filters.indexOf(checkedChoice(options.gravity, "gravity", filters)));
    }
    decide(IS_RECORDED, "recorded");
    decide(SUSPECTS, "checks");
    this.#forceScale = checkedChoice(options.forceUnit ?? "g", "forceUnit", ["g", "m/s^2"]) === "g" ? 1 : 9.80665;
    const rotationUnit = checkedChoice(options.rotationUnit ?? "deg/s", "rotationUnit", ["deg/s", "rad/s"]);
    this.#rotationScale = rotationUnit === "deg/s" ? 1 : Math.PI / 180;
    this.#monitor = made(exports, exports.web_monitor, settings);
  }

  sample(time, force, rotation = null) {
    const now = this.#time(time);
    const most = greatestForce * this.#forceScale;
    const [x, y, z] = checkedVector(force, "force", most, "").map((value) => q16(value / this.#forceScale));
    let [p, q, r] = [0, 0, 0];
    if (rotation !== null) {
      const mostRotation = greatestRotation * this.#rotationScale;
      [p, q, r] = checkedVector(rotation, "rotation", mostRotation, "").map((value) => q16(value / this.#rotationScale));
    }
    const hasRotation = rotation === null ? 0 : 1;
    return this._lines(
      this.#exports.web_sample(this.#monitor, this._view, now, x, y, z, hasRotation, p, q, r));
  }

  pass(time) {
    return this._lines(this.#exports.web_pass(this.#monitor, this._view, this.#time(time)));
  }

  fault(time, cause) {
    const number = faultNumber(this.#context, cause);
    return this._lines(this.#exports.web_fail(this.#monitor, this._view, this.#time(time), number));
  }

  tare(up) {
    zero(up, (...values) => this.#exports.web_tare(this.#monitor, this._view, ...values));
  }

  scrollTo(x, y) {
    const [left, top] = [q16(checked(x, "x", 0, 1)), q16(checked(y, "y", 0, 1))];
    this.#exports.web_scroll(this.#monitor, this._view, left, top);
  }

  #time(time) {
    return BigInt(microseconds(checked(time, "time", -longestTime, longestTime, " s")));
  }
}

function zero(up, tare) {
  if (up === null) return tare(0, 0, 0, 0);
  const direction = checkedVector(up, "up", 1.01, "");
  const length = Math.hypot(...direction);
  if (Math.abs(length - 1) > 0.01) throw new RangeError(`up must have the length 1, not ${length.toFixed(3)}`);
  return tare(1, ...direction.map((value) => rounded(value * 1e6)));
}

function faultNumber(context, cause) {
  const number = context.faults.get(cause);
  if (number !== undefined && context.exports.web_has_fault(number)) return number;
  const names = context.vocabulary.faults.filter((_, index) => context.exports.web_has_fault(index));
  throw new RangeError(`a fault must be one of ${names.join(", ")}, not ${shown(cause)}`);
}

// The emulated board. Quaternions turn the board's frame into that of a room, in which z is up.

function multiplied([aw, ax, ay, az], [bw, bx, by, bz]) {
  return [
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ];
}

function normalized(quaternion) {
  const length = Math.hypot(...quaternion);
  return quaternion.map((part) => part / length);
}

const cross = ([ax, ay, az], [bx, by, bz]) => [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** The axis, of length 1, and the angle of the shortest rotation from one direction to another. */
function arc(from, to) {
  let axis = cross(from, to);
  const sine = Math.hypot(...axis);
  if (sine < 1e-9) {
    axis = Math.abs(from[2]) < 0.9 ? cross(from, cross([0, 0, 1], from)) : cross(from, cross([0, 1, 0], from));
  }
  const length = Math.hypot(...axis);
  return { axis: axis.map((part) => part / length), angle: Math.atan2(sine, dot(from, to)) };
}

/** The rotation of `arc`. */
function shortest(from, to) {
  const { axis, angle } = arc(from, to);
  return [Math.cos(angle / 2), ...axis.map((part) => part * Math.sin(angle / 2))];
}

/** The direction of up in the board's frame. */
function upOf([w, x, y, z]) {
  return [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}

/** The direction of up in each pose. */
const upIn = {
  portrait: [0, 1, 0], portraitUpsideDown: [0, -1, 0], landscapeLeft: [1, 0, 0], landscapeRight: [-1, 0, 0],
  faceUp: [0, 0, 1], faceDown: [0, 0, -1],
};

class EmulatedBoard extends Board {
  #context;
  #exports;
  #board;
  /** Microseconds. */
  #now = 0;
  #attitude = normalized([1, 1, 0, 0]);
  #rotation = [0, 0, 0];
  #push = [0, 0, 0];
  #noise = 0.004;
  #rotationNoise = 0.05;
  #bias = [0, 0, 0];
  #fault = null;
  /** A turn into a pose: its rate, and its end in microseconds. */
  #turn = null;

  constructor(context, options) {
    super(context.exports);
    this.#context = context;
    const exports = (this.#exports = context.exports);
    const { settings, set } = settingsFrom(checkedOptions(options, boardOptions), exports);
    set(SUSPECTS, 1);
    this.#board = made(exports, (address) => exports.web_board(address), settings);
    this.#disturb();
  }

  get time() {
    return this.#now / 1e6;
  }

  get attitude() {
    return [...this.#attitude];
  }

  set attitude(value) {
    if (!Array.isArray(value) || value.length !== 4) throw new TypeError("attitude must be four numbers");
    value.forEach((part, index) => checked(part, `attitude[${index}]`, -1.01, 1.01));
    if (Math.abs(Math.hypot(...value) - 1) > 0.01) throw new RangeError("attitude must have the length 1");
    this.#attitude = normalized(value);
    this.#turn = null;
  }

  get rotation() {
    return [...(this.#turn?.rate ?? this.#rotation)];
  }

  set rotation(value) {
    this.#rotation = checkedVector(value, "rotation", greatestRotation, "°/s");
    this.#turn = null;
  }

  get push() {
    return [...this.#push];
  }

  set push(value) {
    this.#push = checkedVector(value, "push", 1000, " g");
  }

  get noise() {
    return this.#noise;
  }

  set noise(value) {
    this.#noise = checked(value, "noise", 0, 1, " g");
    this.#disturb();
  }

  get rotationNoise() {
    return this.#rotationNoise;
  }

  set rotationNoise(value) {
    this.#rotationNoise = checked(value, "rotationNoise", 0, 100, "°/s");
    this.#disturb();
  }

  get bias() {
    return [...this.#bias];
  }

  set bias(value) {
    this.#bias = checkedVector(value, "bias", 40, "°/s");
    this.#disturb();
  }

  get fault() {
    return this.#fault;
  }

  set fault(value) {
    if (value !== null) faultNumber(this.#context, value);
    this.#fault = value;
    this.#disturb();
  }

  turnTo(pose, seconds = 0.3) {
    const up = Object.hasOwn(upIn, pose) ? upIn[pose] : null;
    if (up === null) throw new RangeError(`pose must be one of ${Object.keys(upIn).join(", ")}, not ${shown(pose)}`);
    const time = checked(seconds, "seconds", 0.001, 3600, " s");
    const { axis, angle } = arc(upOf(this.#attitude), up);
    // What is up seems to turn the other way than the board.
    const rate = axis.map((part) => (-part * angle * 180) / Math.PI / time);
    this.#turn = { rate, end: this.#now + microseconds(time) };
    this.#rotation = [0, 0, 0];
  }

  brownOut() {
    this.#exports.web_brown_out(this.#board);
  }

  tare(up) {
    zero(up, (...values) => this.#exports.web_board_tare(this.#board, this._view, ...values));
  }

  advance(seconds) {
    const end = this.#now + microseconds(checked(seconds, "seconds", 0, 3600, " s"));
    const events = [];
    for (;;) {
      const due = this.#exports.web_due(this.#board);
      if (due > BigInt(end)) break;
      this.#moveTo(Math.max(this.#now, Number(due)));
      this.#hold();
      const length = this.#exports.web_turn(this.#board, this._view, BigInt(this.#now));
      if (length < 0) break;
      if (length > 0) events.push(...this._lines(length));
    }
    this.#moveTo(end);
    return events;
  }

  /** Turns the board until `time`. */
  #moveTo(time) {
    if (this.#turn !== null && time >= this.#turn.end) {
      this.#rotate(this.#turn.rate, this.#turn.end - this.#now);
      this.#now = this.#turn.end;
      this.#turn = null;
    }
    this.#rotate(this.#turn?.rate ?? this.#rotation, time - this.#now);
    this.#now = time;
  }

  #rotate(rate, span) {
    const speed = Math.hypot(...rate);
    if (speed === 0 || span <= 0) return;
    const half = (speed * Math.PI * span) / 360 / 1e6;
    const turned = [Math.cos(half), ...rate.map((part) => (part / speed) * Math.sin(half))];
    this.#attitude = normalized(multiplied(this.#attitude, turned));
  }

  #hold() {
    const force = upOf(this.#attitude).map((part, axis) => q16(part + this.#push[axis]));
    // 2 times the range of the sensor at most, so that nothing overflows on the way to its limit.
    this.#exports.web_hold(this.#board, ...force, ...this.rotation.map((part) => q16(Math.max(-4000, Math.min(4000, part)))));
  }

  #disturb() {
    const fault = this.#fault === null ? -1 : faultNumber(this.#context, this.#fault);
    this.#exports.web_disturb(
      this.#board, q16(this.#noise), q16(this.#rotationNoise), ...this.#bias.map(q16), fault);
  }
}

class StreamReader extends Board {
  #exports;
  #reader;

  constructor({ exports }) {
    super(exports);
    this.#exports = exports;
    this.#reader = exports.web_reader();
  }

  get isKnown() {
    return this.#exports.web_is_known(this.#reader) === 1;
  }

  get request() {
    return '\n{"samples":0}\n{"counters":0}\n{"query":"hello"}\n';
  }

  push(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError(`bytes must be a Uint8Array, not ${shown(bytes)}`);
    const messages = [];
    for (const byte of bytes) {
      const length = this.#exports.web_read(this.#reader, this._view, byte);
      if (length > 0) messages.push(...this._lines(length));
    }
    return messages;
  }

  forget() {
    this.#exports.web_forget(this.#reader, this._view);
  }
}
