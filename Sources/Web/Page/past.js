// The past of the three components of force, in slices of equal duration, as the chart takes them: number, least and
// greatest x, y and z in mg (or null), and the number of the pose (or null).
const Past = (() => {
  const CAPACITY = 900;

  class Past {
    /** Slices of `interval` s. A history of the `whole` doubles that when they become too many; others forget the oldest. */
    constructor(interval, whole = false) { [this.interval, this.whole, this.slices, this.sent] = [interval, whole, [], 0]; }

    /** Adds the `force` in g measured at `time` in s (null for none), and the number of the pose after it (or null). */
    take(force, pose, time) {
      let number = this.#number(time);
      while (this.whole && this.slices.length > 0 && number - this.slices[0][0] >= CAPACITY) {
        this.#merge();
        number = this.#number(time);
      }
      const last = this.slices.at(-1);
      if (!last || number > last[0]) {
        const empty = (at, held) => this.slices.push([at, null, null, null, null, null, null, held]);
        for (let missed = last ? Math.max(last[0] + 1, number - CAPACITY) : number; missed < number; missed++) empty(missed, last[7]);
        empty(number, pose);
        if (this.slices.length > 2 * CAPACITY) this.slices.splice(0, this.slices.length - CAPACITY);
      }
      const slice = this.slices.at(-1);
      slice[7] = pose;
      force?.forEach((value, axis) => {
        const [low, high, mg] = [1 + 2 * axis, 2 + 2 * axis, value * 1000];
        slice[low] = slice[low] === null ? mg : Math.min(slice[low], mg);
        slice[high] = slice[high] === null ? mg : Math.max(slice[high], mg);
      });
    }

    /** The slices since the last call, the present one included. */
    news() {
      const from = this.sent;
      this.sent = this.slices.at(-1)?.[0] ?? 0;
      return this.slices.filter(slice => slice[0] >= from);
    }

    #number(time) { return Math.floor(time / this.interval); }

    #merge() {
      this.interval *= 2;
      const merged = [];
      for (const [number, ...values] of this.slices) {
        const half = Math.floor(number / 2), last = merged.at(-1);
        if (!last || last[0] !== half) { merged.push([half, ...values]); continue; }
        for (let at = 1; at < 7; at++) {
          const value = values[at - 1];
          if (value !== null) last[at] = last[at] === null ? value : at % 2 ? Math.min(last[at], value) : Math.max(last[at], value);
        }
        last[7] = values[6];
      }
      this.slices = merged;
    }
  }
  return Past;
})();
