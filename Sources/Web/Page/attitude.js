// How to draw a board: the directions of its axes as seen (X to the right, Y up, Z towards the eye). The same rules as
// `plumb serve` has in BoardAttitude.swift.
//
// Gravity does not determine the heading of a board; a gyroscope shows how it changes. With gravity alone, the picture
// turns no more than gravity requires, and slowly turns its face towards the eye.
const Attitude = (() => {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const times = (a, factor) => a.map(v => v * factor);
  // `v` rotated by `angle` about `axis`, of length 1 (Rodrigues).
  const turned = (v, axis, angle) => {
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    const [across, along] = [cross(axis, v), dot(axis, v) * (1 - cosine)];
    return v.map((value, i) => value * cosine + across[i] * sine + axis[i] * along);
  };
  const UP = [0, 1, 0];
  const UPRIGHT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

  class Attitude {
    constructor() { [this.axes, this.turn] = [UPRIGHT, null]; }

    /** Turns the board so that `force` (in the board's frame) points up, `seconds` after the previous call. */
    follow(force, seconds) {
      const length = Math.hypot(...force);
      if (!(length > 0.1)) return;
      const up = UP.map((_, i) => force.reduce((sum, value, k) => sum + value / length * this.axes[k][i], 0));
      const axis = cross(up, UP), sine = Math.hypot(...axis);
      if (sine > 1e-9) this.#rotate(times(axis, 1 / sine), Math.atan2(sine, up[1]));
      else if (up[1] < 0) this.#rotate([0, 0, 1], Math.PI);
      // The flatter the board lies, the less of its heading can be seen, and the less it is turned.
      const z = this.axes[2], lead = Math.hypot(z[0], z[2]);
      if (lead > 0.1) this.#rotate(UP, -Math.atan2(z[0], z[2]) * Math.min(1, Math.max(0, seconds) * 3 * lead * lead));
      this.#straighten();
    }

    /** Turns the board at once to `up` and `heading` (in rad) of the fusion; the first time, its face turns to the eye. */
    show(up, heading) {
      const level = Attitude.#level(up);
      if (this.turn === null) {
        this.follow(up, 10);
        // The axis closest to level gives the most accurate angle.
        const best = [0, 1, 2].reduce((a, b) => Math.abs(this.axes[b][1]) < Math.abs(this.axes[a][1]) ? b : a);
        const angle = axis => Math.atan2(axis[0], axis[2]);
        this.turn = angle(this.axes[best]) - angle(level[best]) - heading;
      }
      this.axes = level.map(axis => turned(axis, UP, heading + this.turn));
      this.#straighten();
    }

    // The axes, as seen, of a board with heading 0. In the room Z is up; in the picture Y is up, and Z is towards the eye.
    static #level(up) {
      const axis = cross(up, [0, 0, 1]), sine = Math.hypot(...axis);
      const direction = sine > 1e-9 ? times(axis, 1 / sine) : [1, 0, 0];
      return UPRIGHT.map(own => turned(own, direction, Math.atan2(sine, up[2]))).map(([x, y, z]) => [x, z, -y]);
    }

    #rotate(axis, angle) { this.axes = this.axes.map(own => turned(own, axis, angle)); }

    // Keeps the axes orthonormal despite rounding errors.
    #straighten() {
      const [x, y] = [times(this.axes[0], 1 / Math.hypot(...this.axes[0])), this.axes[1]];
      const across = y.map((value, i) => value - x[i] * dot(x, y));
      const upright = times(across, 1 / Math.hypot(...across));
      this.axes = [x, upright, cross(x, upright)];
    }
  }
  return Attitude;
})();
