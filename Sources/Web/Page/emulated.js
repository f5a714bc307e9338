// The emulated board in the hands of a mouse, a finger or a keyboard, and what it does by itself.
const EmulatedHand = (() => {
  const POSE_TIME = 1.7;
  // How fast a hand turns it at most, °/s: within the gyroscope's range.
  const FASTEST = 720;
  const STEP = 0.01;

  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  /** The direction of up in the frame of a board with this attitude. */
  const upOf = ([w, x, y, z]) => [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];

  /** What the board does by itself: its rotation and push at a time, in s since it began, in its own frame. */
  const MOTIONS = {
    hold: () => ({ rotation: [0, 0, 0], push: [0, 0, 0] }),
    carried: t => ({
      rotation: [40 * Math.sin(1.9 * t), 30 * Math.sin(1.3 * t + 1), 25 * Math.sin(0.7 * t + 2)],
      push: [0.06 * Math.sin(12 * t), 0.12 * Math.sin(12.5 * t), 0.08 * Math.sin(11.3 * t)],
    }),
    machine: t => ({ rotation: [0, 0, 0], push: [0, 0.02 * Math.sin(2 * Math.PI * 23 * t), 0.05 * Math.sin(2 * Math.PI * 23 * t)] }),
  };

  class EmulatedHand {
    /** Moves `board`, an emulated board; `poses` are the names of the six. */
    constructor(board, poses) {
      [this.board, this.poses] = [board, poses];
      // How far a hand still has to turn it, in degrees about the axes of the picture.
      this.pending = [0, 0, 0];
      [this.motion, this.began, this.shakeUntil, this.fallUntil, this.next, this.turnUntil] = ["hold", 0, 0, 0, 0, 0];
    }

    /** A hand turns it: degrees about the axes of the picture. */
    turn(about) { this.pending = this.pending.map((value, i) => Math.max(-720, Math.min(720, value + about[i]))); }
    turnTo(pose) { this.pending = [0, 0, 0]; this.board.turnTo(pose, 0.3); this.turnUntil = this.board.time + 0.3; }
    move(motion) { [this.motion, this.began, this.next] = [motion, this.board.time, this.board.time]; this.pending = [0, 0, 0]; }
    shake() { this.shakeUntil = this.board.time + 1; }
    drop() { [this.shakeUntil, this.fallUntil] = [0, this.board.time + 0.45]; }

    /** Lets `seconds` pass while the picture shows the board with `axes`; hands events and each step to `take`. */
    advance(seconds, axes, take) {
      for (let left = seconds; left > 1e-6; left -= STEP) {
        this.#hold(Math.min(STEP, left), axes);
        take(this.board.advance(Math.min(STEP, left)));
      }
    }

    #hold(step, axes) {
      const { board } = this, t = board.time;
      const { rotation, push } = (MOTIONS[this.motion] ?? MOTIONS.hold)(t - this.began);
      if (this.motion === "tumble" && t >= this.next) {
        const number = Math.round((t - this.began) / POSE_TIME);
        board.turnTo(this.poses[number % 6], 0.5);
        [this.next, this.turnUntil] = [this.began + (number + 1) * POSE_TIME, t + 0.5];
      }
      const shaken = t < this.shakeUntil ? 1.8 * Math.sin(2 * Math.PI * 5 * t) : 0;
      const falling = t < this.fallUntil ? upOf(board.attitude) : [0, 0, 0];
      board.push = push.map((value, i) => value + (i === 0 ? shaken : 0) - falling[i]);
      // The board turns by itself until it is in the pose.
      if (t < this.turnUntil) return;
      const rate = this.pending.map(value => Math.max(-FASTEST, Math.min(FASTEST, value / step / 4)));
      this.pending = this.pending.map((value, i) => Math.abs(value) < 0.01 ? 0 : value - rate[i] * step);
      // The hand turns it about the axes of the picture; the board measures about its own.
      board.rotation = axes.map((axis, i) => dot(rate, axis) + rotation[i]);
    }
  }
  return EmulatedHand;
})();
