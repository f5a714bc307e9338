import assert from "node:assert/strict";
import { test } from "node:test";
import { plumb, wordless } from "./support.mjs";

const poses = plumb.vocabulary.poses.map(({ name }) => name);

test("every pose is reported within 0.3 s of the start of a turn into it", async () => {
  for (const from of poses) {
    for (const to of poses.filter((pose) => pose !== from)) {
      const board = await plumb.emulatedBoard();
      board.turnTo(from, 0.001);
      board.advance(2);
      assert.equal(board.snapshot.pose, from);
      const start = board.time;
      board.turnTo(to);
      const pose = board.advance(1).find((event) => event.event === "pose" && event.to === to);
      // A half turn takes the fusion past its middle.
      assert.ok(pose !== undefined && pose.t - start <= 0.3, `${from} to ${to}: ${pose?.t - start} s`);
      assert.equal(board.snapshot.pose, to);
      assert.deepEqual(board.lines, poses.map((name) => (name === to ? 1 : 0)));
    }
  }
});

test("the same time in other portions gives the same events", async () => {
  const run = async (portions, length) => {
    const board = await plumb.emulatedBoard();
    const events = [];
    for (const pose of poses) {
      board.turnTo(pose, 0.4);
      for (let index = 0; index < portions; index++) events.push(...board.advance(length));
    }
    return events;
  };
  const whole = await run(1, 1);
  assert.ok(whole.length > 12);
  assert.deepEqual(await run(100, 0.01), whole);
});

for (const fault of ["noAcknowledge", "arbitrationLost", "timedOut", "unsupported", "notPermitted", "busy", "unavailable"]) {
  test(`${fault} on the bus is reported, and the board recovers`, async () => {
    const board = await plumb.emulatedBoard();
    board.advance(1);
    board.fault = fault;
    const [trouble] = board.advance(1);
    assert.deepEqual([trouble.event, trouble.reason, trouble.cause], ["trouble", "fault", fault]);
    assert.equal(board.snapshot.pose, "fault");
    assert.equal(board.reading, null);
    board.fault = null;
    assert.deepEqual(board.advance(2).map(({ event }) => event).slice(0, 2), ["recovery", "pose"]);
  });
}

test("a supply that dips is noticed, and the sensor is configured again", async () => {
  const board = await plumb.emulatedBoard();
  board.advance(1);
  board.brownOut();
  const events = board.advance(3);
  assert.equal(events.find(({ event }) => event === "recovery").cause, "configurationLost");
  assert.equal(board.snapshot.pose, "portrait");
});

test("a sensor without noise is frozen, and the usual noise changes no pose", async () => {
  const frozen = await plumb.emulatedBoard();
  [frozen.noise, frozen.rotationNoise] = [0, 0];
  assert.ok(frozen.advance(20).some(({ cause }) => cause === "frozen"));
  const noisy = await plumb.emulatedBoard();
  noisy.noise = 0.03;
  assert.equal(noisy.advance(60).filter(({ event }) => event === "pose").length, 1);
});

test("a board that is shaken reports it", async () => {
  const board = await plumb.emulatedBoard();
  const events = [];
  for (let step = 0; step < 200; step++) {
    board.push = [step > 50 && step < 150 ? 3 * Math.sin(step * 0.3) : 0, 0, 0];
    events.push(...board.advance(0.01));
  }
  assert.ok(events.some(({ event }) => event === "shake"));
});

test("the bias of the gyroscope is found at rest", async () => {
  const board = await plumb.emulatedBoard();
  board.bias = [2, -1, 0.5];
  board.advance(20);
  board.reading.bias_dps.forEach((part, axis) => assert.ok(Math.abs(part - board.bias[axis]) < 0.1, `${part}`));
});

test("how it turns by itself is seen", async () => {
  const board = await plumb.emulatedBoard();
  board.advance(1);
  board.rotation = [0, 0, -90];
  board.advance(1);
  board.rotation = [0, 0, 0];
  // Clockwise: the right edge is down.
  assert.equal(board.snapshot.pose, "landscapeRight");
  assert.ok(Math.abs(Math.hypot(...board.attitude) - 1) < 1e-12);
});

test("wrong values are refused with words, and change nothing", async () => {
  const board = await plumb.emulatedBoard();
  board.advance(0.5);
  const before = JSON.stringify([board.snapshot, board.attitude, board.rotation, board.push, board.noise, board.fault]);
  for (const [change, message] of [
    [() => (board.attitude = [1, 1, 0, 0]), /^RangeError: attitude must have the length 1$/],
    [() => (board.attitude = 1), /^TypeError: attitude must be four numbers$/],
    [() => (board.attitude = [NaN, 0, 0, 0]), /^RangeError: attitude\[0\] must be/],
    [() => (board.rotation = [0, 0, 5000]), /^RangeError: rotation\[2\] must be -4000 to 4000°\/s, not 5000$/],
    [() => (board.push = [0, 0]), /^TypeError: push must be three numbers/],
    [() => (board.noise = -1), /^RangeError: noise must be 0 to 1 g, not -1$/],
    [() => (board.fault = "frozen"), /^RangeError: a fault must be one of noAcknowledge/],
    [() => board.turnTo("toString"), /^RangeError: pose must be one of portrait/],
    [() => board.turnTo("faceUp", 0), /^RangeError: seconds must be/],
    [() => board.advance(NaN), /^RangeError: seconds must be 0 to 3600 s/],
    [() => board.advance(1e9), /^RangeError: seconds must be/],
  ]) {
    assert.throws(change, message);
  }
  assert.equal(
    JSON.stringify([board.snapshot, board.attitude, board.rotation, board.push, board.noise, board.fault]), before);
  await assert.rejects(plumb.emulatedBoard({ gravity: "fusion" }), /^TypeError: there is no option "gravity"/);
});

test("what happened is said in words", async () => {
  const board = await plumb.emulatedBoard();
  const [pose] = board.advance(1);
  assert.equal(pose.words, "portrait");
  assert.equal("words" in wordless(pose), false);
});
