import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { plumb, random, recordings, replayed, root, wordless } from "./support.mjs";

const encoder = new TextEncoder();
const bytes = (text) => encoder.encode(text);
const line = (object) => `${JSON.stringify(object)}\n`;
/** The example of docs/stream.md. */
const hello = JSON.parse(/```json\n(\{"event":"hello"[^`]*)```/.exec(readFileSync(`${root}docs/stream.md`, "utf8"))[1]);

test("before the first whole hello nothing is said, and then it is known", async () => {
  const reader = await plumb.streamReader();
  assert.deepEqual(reader.push(bytes('ple","x":0}\n{"t":1,"event":"shake"}\n\u0000\n{"event":"hello"}\n')), []);
  assert.equal(reader.isKnown, false);
  const [message] = reader.push(bytes(line(hello)));
  assert.equal(reader.isKnown, true);
  for (const name of ["owner", "board", "sensor", "rate_hz", "pose", "since", "lines", "events"]) {
    assert.deepEqual(message[name], hello[name], name);
  }
  assert.equal(reader.snapshot.pose, hello.pose);
  assert.deepEqual(reader.lines, hello.lines);
  assert.match(reader.request, /^\n(\{[^\n]*\}\n)+$/);
});

test("events and samples come out as they went in, in portions of any size", async () => {
  const path = recordings.find((name) => name.includes("fast-rotation"));
  const objects = replayed(path, "--samples", "--show", "shake,rotation,tap,freeFall").filter(({ event }) => event !== "summary");
  const text = bytes(line(hello) + objects.map(line).join(""));
  for (const size of [1, 7, 64, 4096, text.length]) {
    const reader = await plumb.streamReader();
    const found = [];
    for (let start = 0; start < text.length; start += size) found.push(...reader.push(text.subarray(start, start + size)));
    assert.equal(found.length, objects.length + 1);
    found.slice(1).forEach((message, index) => {
      const { words, ...fields } = message;
      for (const name of ["t", "event", "to", "from", "reason", "pose", "x", "phase", "axis"]) {
        assert.deepEqual(fields[name], objects[index][name], `${name} of ${JSON.stringify(objects[index])}`);
      }
      assert.equal(words !== undefined, plumb.vocabulary.events.includes(message.event));
    });
    assert.deepEqual(reader.reading.up, objects.at(-1).up);
  }
});

test("coded lines are as many as the code has", async () => {
  const reader = await plumb.streamReader();
  const lines = [1, 0, 1, 0, 0, 0, 0];
  reader.push(bytes(line({ ...hello, code: "one-hot", lines })));
  assert.deepEqual([reader.lines, reader.snapshot.lines], [lines, lines]);
});

test("a repeated key has its last value", async () => {
  const reader = await plumb.streamReader();
  reader.push(bytes(line(hello)));
  // The line of test_lines.py in Python, and of MessageTests in Swift.
  const [message] = reader.push(bytes('{"event":"shake","t":1,"event":"trouble","reason":"fault","re\\u0061son":"stale","t":"x","t":2.5,"detail":{"a":1,"a":2},"detail":"last"}\n'));
  assert.deepEqual([message.event, message.reason, message.t, message.detail], ["trouble", "stale", 2.5, "last"]);
});

test("messages about the stream come through, and kinds that are not known do not", async () => {
  const reader = await plumb.streamReader();
  reader.push(bytes(line(hello)));
  const found = reader.push(bytes(
    '{"event":"missed","count":3}\n{"event":"error","detail":"no\\u0007 \\u003cb\\u003e"}\n{"event":"done","command":"tare"}\n' +
    '{"event":"new-kind","x":[[1]]}\n{"event":"bye","detail":"over"}\n'));
  assert.deepEqual(found.map(({ event }) => event), ["missed", "error", "done", "bye"]);
  assert.equal(found[0].count, 3);
  assert.equal(reader.isKnown, true);
});

const hostile = [
  ["text", "hello\n"],
  ["an array", "[1,2]\n"],
  ["brackets without end", `${"[".repeat(500)}\n`],
  ["a pose that is none", '{"t":1,"event":"pose","to":"sideways"}\n'],
  ["no time", '{"event":"shake"}\n'],
  ["a wrong type", '{"t":"1","event":"sample","x":0,"y":0,"z":1}\n'],
  ["a number of 300 digits", `{"t":${"9".repeat(300)},"event":"sample","x":1e999,"y":0,"z":1}\n`],
  ["half a surrogate pair", '{"t":1,"event":"shake","detail":"\\ud800"}\n'],
  ["a NUL", '{"t":1,"event":"sh\u0000ake"}\n'],
  ["a line of 2000 bytes", `{"t":1,"event":"shake","detail":"${"a".repeat(2000)}"}\n`],
];

test("a hostile line is refused once, and nothing is known until the next hello", async () => {
  for (const [name, text] of hostile) {
    const reader = await plumb.streamReader();
    reader.push(bytes(line(hello)));
    const found = reader.push(bytes(text + '{"t":2,"event":"shake"}\n'));
    assert.deepEqual(found.map(({ event }) => event), ["refused"], name);
    assert.equal(reader.isKnown, false, name);
    assert.deepEqual([reader.snapshot.pose, reader.reading, reader.lines], ["notYetSampled", null, [0, 0, 0, 0, 0, 0]]);
    assert.equal(reader.push(bytes(line(hello)))[0].event, "hello", name);
  }
});

test("no line makes it fail: noise, cut and changed lines, ten megabytes without an end", async () => {
  const next = random(1);
  const reader = await plumb.streamReader();
  const whole = bytes(line(hello) + line({ t: 1, event: "sample", x: 0, y: 1, z: 0, pose: "portrait" }) +
    line({ t: 2, event: "pose", from: "unknown", to: "faceUp", x: 0, y: 0, z: 1 }) +
    line({ t: 3, event: "trouble", reason: "fault", cause: "shortRead", expected: 6, received: 2 }) +
    line({ t: 4, event: "counters", samples: 3, fault_kinds: { busy: 2 } }));
  let known = 0;
  for (let round = 0; round < 3000; round++) {
    const copy = whole.slice(Math.floor(next() * 40) * (next() < 0.3 ? 1 : 0));
    for (let changes = Math.floor(next() * 4); changes > 0; changes--) {
      copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
    }
    for (const message of reader.push(copy)) assert.equal(typeof message.event, "string");
    known += reader.isKnown ? 1 : 0;
  }
  assert.ok(known > 300 && known < 3000, `${known}`);
  const noise = new Uint8Array(1 << 18).map(() => Math.floor(next() * 256));
  reader.push(noise);
  const brackets = new Uint8Array(10 << 20).fill(0x5b);
  assert.ok(reader.push(brackets).length <= 1);
  reader.push(bytes("\n"));
  assert.equal(reader.push(bytes(line(hello)))[0].event, "hello");
});

test("the longest lines are read: the stack holds", async () => {
  const reader = await plumb.streamReader();
  const long = { ...hello, owner: "o".repeat(100), board: "b".repeat(200), cause: "configurationRejected", register: 45,
    wrote: 8, read: 0, pose: "fault", tare: [0, 0.6, 0.8] };
  const [message] = reader.push(bytes(line(long)));
  assert.equal(message.event, "hello");
  assert.equal(reader.snapshot.cause, "configurationRejected");
  assert.match(reader.snapshot.words, /0x53/);
});

test("a lost connection is forgotten", async () => {
  const reader = await plumb.streamReader();
  reader.push(bytes(`${line(hello)}{"t":20,"event":`));
  reader.forget();
  assert.equal(reader.isKnown, false);
  assert.equal(reader.snapshot.pose, "notYetSampled");
  assert.deepEqual(reader.push(bytes('"shake"}\n')), []);
  assert.throws(() => reader.push("text"), /^TypeError: bytes must be a Uint8Array, not "text"$/);
});

test("words of trouble are those of the sensor that the owner names", async () => {
  const reader = await plumb.streamReader();
  reader.push(bytes(line(hello)));
  const [trouble] = reader.push(bytes('{"t":13,"event":"trouble","reason":"fault","cause":"noAcknowledge"}\n'));
  assert.match(trouble.words, /no acknowledge from 0x53/);
  assert.equal(wordless(trouble).cause, "noAcknowledge");
});
