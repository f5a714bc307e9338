import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { attitudeOf, load } from "../../build/web/plumb.js";
import { plumb, recordings, replayed, root, samplesOf, wordless } from "./support.mjs";

for (const path of recordings) {
  test(`${basename(path)} gives the events and samples of plumb replay`, async () => {
    const expected = replayed(path, "--samples", "--show", "shake,rotation,tap,freeFall");
    const monitor = await plumb.monitor({ recorded: true, taps: true, freeFall: true });
    const found = [];
    for (const [time, force, rotation] of samplesOf(path)) {
      found.push(...monitor.sample(time, force, rotation).map(wordless), monitor.reading);
    }
    const summary = expected.pop();
    assert.deepEqual(found, expected);
    const { counters } = monitor.snapshot;
    for (const name of ["samples", "pose_changes", "faults", "recoveries", "shakes", "fault_kinds", "unknown"]) {
      assert.deepEqual(counters[name], summary[name], name);
    }
  });

  test(`${basename(path)} gives the same in m/s² and rad/s, from its first time on`, async () => {
    const inG = await plumb.monitor({ recorded: true });
    const inSI = await plumb.monitor({ recorded: true, forceUnit: "m/s^2", rotationUnit: "rad/s" });
    for (const [time, force, rotation] of samplesOf(path).slice(0, 500)) {
      const names = (events) => events.map(({ t, event, to }) => `${t} ${event} ${to ?? ""}`);
      const expected = names(inG.sample(time, force, rotation));
      const si = [force.map((value) => value * 9.80665), rotation?.map((value) => (value * Math.PI) / 180)];
      assert.deepEqual(names(inSI.sample(time + 1000, ...si)), expected);
    }
  });
}

test("a pose becomes stale, the LEDs blink, and the next sample ends it", async () => {
  const monitor = await plumb.monitor();
  assert.deepEqual(monitor.sample(0, [0, 0, 1]).map(({ event, to, words }) => [event, to, words]), [
    ["pose", "faceUp", "face up"],
  ]);
  assert.deepEqual(monitor.lines, [0, 0, 0, 0, 1, 0]);
  assert.deepEqual(monitor.pass(0.9), []);
  assert.equal(monitor.reading.pose, "faceUp");
  const [stale] = monitor.pass(1.1);
  assert.equal(stale.reason, "stale");
  assert.equal(stale.words, "pose unknown: no recent sample");
  assert.equal(monitor.snapshot.pose, "stale");
  assert.equal(monitor.reading, null);
  const seen = new Set();
  for (let time = 1.1; time < 3.1; time += 1 / 60) {
    monitor.pass(time);
    seen.add(monitor.lines.join(""));
  }
  assert.deepEqual([...seen].sort(), ["000000", "111111"]);
  assert.equal(monitor.sample(3.1, [0, 0, 1])[0].event, "pose");
});

test("a fault is trouble with its cause, and the next sample recovers", async () => {
  const monitor = await plumb.monitor();
  monitor.sample(0, [0, 1, 0]);
  const [trouble] = monitor.fault(0.1, "unavailable");
  assert.deepEqual([trouble.reason, trouble.cause], ["fault", "unavailable"]);
  assert.equal(monitor.snapshot.cause, "unavailable");
  assert.deepEqual(monitor.fault(0.2, "unavailable"), []);
  const [recovery, pose] = monitor.sample(0.3, [0, 1, 0]);
  assert.deepEqual([recovery.event, recovery.outage_s, pose.to], ["recovery", 0.2, "portrait"]);
  assert.equal(monitor.snapshot.counters.fault_kinds.unavailable, 2);
});

test("settings have an effect", async () => {
  const mounted = await plumb.monitor({ mounting: "-y +x +z" });
  assert.equal(mounted.sample(0, [1, 0, 0])[0].to, "portrait");
  const slow = await plumb.monitor({ dwell: 0.9 });
  slow.sample(0, [0, 1, 0]);
  const events = [];
  for (let time = 0.01; time < 0.8; time += 0.01) events.push(...slow.sample(time, [1, 0, 0]));
  assert.equal(events.some(({ event }) => event === "pose"), false);
  const vibrating = await plumb.monitor({ vibrationRate: 100 });
  for (let index = 0; index < 250; index++) vibrating.sample(index / 100, [0, 0, 1 + (index % 4 < 2 ? 0.1 : -0.1)]);
  assert.ok(Math.abs(vibrating.vibration.rms_g - 0.1) < 0.005, `${vibrating.vibration.rms_g} g`);
  const tared = await plumb.monitor();
  tared.tare([0.6, 0.8, 0]);
  tared.sample(0, [0.6, 0.8, 0]);
  assert.ok(Math.abs(tared.reading.angle_deg) < 0.01);
  assert.deepEqual(tared.snapshot.tare, [0.6, 0.8, 0]);
  tared.tare(null);
  assert.equal(tared.snapshot.tare, null);
  tared.scrollTo(0.25, 0.5);
  assert.deepEqual(tared.reading.scroll, [0.25, 0.5]);
});

test("checks make equal samples a fault, and no checks do not", async () => {
  for (const [checks, expected] of [[true, "frozen"], [false, undefined]]) {
    const monitor = await plumb.monitor({ checks });
    const causes = [];
    for (let index = 0; index < 1000; index++) causes.push(...monitor.sample(index / 100, [0, 0, 1]).map((e) => e.cause));
    assert.equal(causes.find((cause) => cause !== undefined), expected);
  }
});

const bad = [
  ["time", ["1", [0, 0, 1]], TypeError, /^time must be a number, not "1"$/],
  ["time", [NaN, [0, 0, 1]], RangeError, /^time must be -1000000000000 to 1000000000000 s, not NaN/],
  ["time", [1e13, [0, 0, 1]], RangeError, /^time must be/],
  ["force", [1, null], TypeError, /^force must be three numbers, not null$/],
  ["force", [1, [0, 1]], TypeError, /^force must be three numbers, not an array$/],
  ["force", [1, "abc"], TypeError, /^force must be three numbers, not "abc"$/],
  ["force", [1, [0, undefined, 1]], TypeError, /^force\[1\] must be a number, not undefined$/],
  ["force", [1, [0, 0, NaN]], RangeError, /^force\[2\] must be -32767 to 32767, not NaN, which is no finite number$/],
  ["force", [1, [Infinity, 0, 0]], RangeError, /^force\[0\] must be .* not Infinity/],
  ["force", [1, [0, -1e300, 0]], RangeError, /^force\[1\] must be/],
  ["force", [1, [0n, 0, 0]], TypeError, /^force\[0\] must be a number/],
  ["rotation", [1, [0, 0, 1], [0, 0, 4001]], RangeError, /^rotation\[2\] must be -4000 to 4000, not 4001$/],
  ["rotation", [1, [0, 0, 1], {}], TypeError, /^rotation must be three numbers, not an object$/],
];

test("wrong samples are refused with words, and change nothing", async () => {
  const monitor = await plumb.monitor();
  monitor.sample(0, [0, 0, 1]);
  const before = JSON.stringify([monitor.snapshot, monitor.reading]);
  for (const [name, values, type, message] of bad) {
    assert.throws(() => monitor.sample(...values), (error) => error instanceof type && message.test(error.message), name);
  }
  assert.throws(() => monitor.fault(1, "shortRead"), /^RangeError: a fault must be one of noAcknowledge, .* not "shortRead"$/);
  assert.throws(() => monitor.fault(1, "constructor"), RangeError);
  assert.throws(() => monitor.tare([1, 1, 0]), /^RangeError: up\[?/);
  assert.throws(() => monitor.scrollTo(2, 0), /^RangeError: x must be 0 to 1, not 2$/);
  assert.equal(JSON.stringify([monitor.snapshot, monitor.reading]), before);
});

test("the ends of the ranges are taken", async () => {
  const monitor = await plumb.monitor();
  for (const value of [32767, -32767]) monitor.sample(0, [value, value, value], [4000, -4000, 4000]);
  for (const time of [1e12, -1e12]) monitor.sample(time, [0, 0, 1]);
  assert.equal(monitor.snapshot.counters.samples, 4);
});

test("wrong options are refused with words", async () => {
  for (const [options, type, message] of [
    [{ dwel: 1 }, TypeError, /^there is no option "dwel": there are .*dwell/],
    [7, TypeError, /^options must be an object, not 7$/],
    [{ mounting: "+x +x +y" }, RangeError, /^mounting must have each axis once/],
    [{ mounting: "up" }, RangeError, /^mounting must be three axes such as "\+x \+y \+z", not "up"$/],
    [{ leaveAngle: 30 }, RangeError, /^leaveAngle must be 46 to 89 degrees$/],
    [{ leaveAngle: "60" }, TypeError, /^leaveAngle must be a number/],
    [{ faceEnter: 50 }, RangeError, /^faceEnter must be/],
    [{ dwell: 2 }, RangeError, /^dwell must be 0 to 0.999 s, not 2$/],
    [{ rotationTime: 61 }, RangeError, /^rotationTime must be 0 to 60 s/],
    [{ rest: "flat" }, RangeError, /^rest must be one of published, captured, not "flat"$/],
    [{ gravity: "kalman" }, RangeError, /^gravity must be one of fusion, low-pass, adaptive, not "kalman"$/],
    [{ taps: 1 }, TypeError, /^taps must be true or false, not 1$/],
    [{ vibrationRate: 0 }, RangeError, /^vibrationRate must be 1 to 5000 Hz, not 0$/],
    [{ forceUnit: "kg" }, RangeError, /^forceUnit must be one of g, m\/s\^2, not "kg"$/],
  ]) {
    await assert.rejects(plumb.monitor(options), (error) => error instanceof type && message.test(error.message),
      JSON.stringify(options));
  }
});

test("each monitor has its own memory", async () => {
  const [one, other] = [await plumb.monitor(), await plumb.monitor()];
  one.sample(0, [0, 1, 0]);
  assert.equal(other.snapshot.pose, "notYetSampled");
});

test("an attitude for drawing turns up to the vertical", async () => {
  const monitor = await plumb.monitor();
  for (const force of [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0.6, 0, -0.8], [0, 0, -1]]) {
    const [w, x, y, z] = attitudeOf({ gravity: force });
    const up = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
    up.forEach((part, axis) => assert.ok(Math.abs(part - force[axis]) < 1e-9, `${up} is not ${force}`));
  }
  assert.equal(attitudeOf({ gravity: [0, 0, 0] }), null);
  monitor.sample(0, [0, 0, 1], [0, 0, 0]);
  assert.ok(attitudeOf(monitor.reading));
});

test("a million samples take no memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const monitor = await plumb.monitor({ taps: true });
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  const feed = (from, to) => {
    for (let index = from; index < to; index++) {
      const angle = index / 300;
      monitor.sample(index / 100, [Math.sin(angle), Math.cos(angle), 0], [0, 0, 19]);
    }
  };
  feed(0, 20_000);
  const before = used();
  feed(20_000, 1_000_000);
  const grown = used() - before;
  assert.equal(monitor.snapshot.counters.samples, 1_000_000);
  assert.ok(monitor.snapshot.counters.pose_changes > 1_000);
  assert.ok(grown < 1 << 20, `${grown} bytes more`);
});

test("the module's memory cannot grow, and it imports nothing", async () => {
  const module = await WebAssembly.compile(gunzipSync(readFileSync(`${root}build/web/plumb.wasm.gz`)));
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const { exports } = await WebAssembly.instantiate(module);
  assert.throws(() => exports.memory.grow(1), RangeError);
});

test("it loads from a URL, from bytes packed or not, and from a module", async () => {
  const packed = readFileSync(`${root}build/web/plumb.wasm.gz`);
  const bytes = gunzipSync(packed);
  for (const source of [new URL("../../build/web/plumb.wasm.gz", import.meta.url), packed, bytes,
    await WebAssembly.compile(bytes)]) {
    assert.equal((await load(source)).version, plumb.version);
  }
  await assert.rejects(load(7), /^TypeError: load takes a URL, bytes or a WebAssembly.Module$/);
});
