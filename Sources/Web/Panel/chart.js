// The history of x, y and z, with the poses below: the last seconds, or the whole of a recording.
const Chart = (() => {
  const CAPACITY = 900;
  // About as much as the thickness of a line shows, in mg: the noise of a board at rest stays within it.
  const STROKE = 25;
  // Each slice is [number, least x, greatest x, … of y, … of z (in mg, or null), pose (or null)].
  let slices = [];
  let interval = 0.1;
  let colours = null, isWhole = false;

  const reset = (seconds, whole = false) => { [slices, interval, isWhole] = [[], seconds, whole]; };
  const add = list => {
    for (const slice of list) {
      while (slices.length && slices[slices.length - 1][0] >= slice[0]) slices.pop();
      slices.push(slice);
    }
    if (slices.length > CAPACITY + 200) slices.splice(0, slices.length - CAPACITY);
  };
  const forget = () => { colours = null; };
  const look = () => {
    if (colours) return colours;
    const style = getComputedStyle(document.documentElement);
    const get = name => style.getPropertyValue("--" + name).trim();
    colours = {
      lines: ["x", "y", "z"].map(get), poses: POSES.names.map((_, i) => get("p" + i)), text: get("text"), soft: get("soft"),
      rule: get("line"), font: getComputedStyle(document.body).fontFamily,
    };
    return colours;
  };

  // The number of seconds shown: all there are, of the last seconds up to as many as suit the width.
  const span = width => {
    const past = slices.length ? (slices[slices.length - 1][0] - slices[0][0] + 1) * interval : 0;
    return isWhole ? Math.max(interval, past) : Math.min(width < 460 ? 30 : width < 900 ? 60 : 80, Math.max(1, past));
  };

  const draw = canvas => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const c = look();
    pen.font = `12px ${c.font}`;
    const area = { left: 30, top: 7, right: width - 2, bottom: height - 45 };
    const seconds = span(width);
    const last = slices.length ? slices[slices.length - 1][0] : 0;
    const step = (area.right - area.left) * interval / seconds;
    const shown = slices.filter(s => (last - s[0] + 1) * step <= area.right - area.left + 0.5);
    const x = n => area.right - (last - n) * step;
    const top = greatest(shown);
    const y = mg => area.top + (top - mg / 1000) / (2 * top) * (area.bottom - area.top);
    grid(pen, c, area, top, y, seconds);
    for (const axis of [2, 1, 0]) trace(pen, shown, axis, x, y, c.lines[axis]);
    band(pen, c, shown, area, x, step);
  };

  // The smallest of a few round scales that shows everything, in g.
  const greatest = shown => {
    let most = 0;
    for (const s of shown) for (let i = 1; i < 7; i++) if (s[i] !== null) most = Math.max(most, Math.abs(s[i]));
    return [1.25, 2, 4, 8].find(t => most <= t * 1000) || 16;
  };

  const grid = (pen, c, area, top, y, seconds) => {
    const unit = top === 1.25 ? 1 : top / 2;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (let v = -top === -1.25 ? -1 : -top; v <= top; v += unit) {
      pen.strokeStyle = v === 0 ? c.soft : c.rule;
      const row = Math.round(y(v * 1000)) + 0.5;
      pen.beginPath();
      pen.moveTo(area.left, row);
      pen.lineTo(area.right, row);
      pen.stroke();
      pen.fillStyle = c.soft;
      pen.fillText((v > 0 ? "+" : v < 0 ? "−" : "") + Math.abs(v), area.left - 6, row);
    }
    pen.textBaseline = "alphabetic";
    if (isWhole) return times(pen, area, seconds);
    const every = [0.5, 1, 2, 5, 10, 15, 20].find(step => seconds / step <= 4) || 20;
    for (let back = 0; back <= seconds + 1e-9; back += every) {
      const at = area.right - back / seconds * (area.right - area.left);
      pen.textAlign = back === 0 ? "right" : at - area.left < 20 ? "left" : "center";
      pen.fillText(back === 0 ? "now" : `−${back} s`, at, area.bottom + 42);
    }
  };

  // The times of a recording, from its beginning.
  const times = (pen, area, seconds) => {
    const size = 10 ** Math.floor(Math.log10(seconds / 4));
    const every = [1, 2, 5, 10].map(step => step * size).find(step => seconds / step <= 5);
    for (let number = 0; number * every <= seconds; number++) {
      const at = area.left + number * every / seconds * (area.right - area.left);
      pen.textAlign = number === 0 ? "left" : at > area.right - 30 ? "right" : "center";
      pen.fillText(`${Number((number * every).toPrecision(3))} s`, at, area.bottom + 42);
    }
  };

  // How one component of successive slices is drawn: the upper and the lower edge, as [place in slices, mg].
  //
  // The slices of a smooth motion hardly overlap: each is one stroke, and both edges are the same line. Where several
  // slices in a row overlap, each holds more than a line can show, and the edges part. Either way the least and the
  // greatest value of every slice are reached, to within the thickness of a line.
  const outline = (run, axis) => {
    const ranges = run.map(s => [s[1 + 2 * axis], s[2 + 2 * axis]]);
    const strokes = ranges.map((_, i) => stroke(ranges[i - 1], ranges[i], ranges[i + 1]));
    const [upper, lower] = [[], []];
    ranges.forEach(([low, high], i) => {
      const place = run[i][0];
      if (strokes[i].isFull && (strokes[i - 1]?.isFull || strokes[i + 1]?.isFull)) {
        upper.push([place - 0.5, high]);
        lower.push([place - 0.5, low]);
      } else {
        const points = strokes[i].points.map(([back, mg]) => [place - back, mg]);
        upper.push(...points);
        lower.push(...points);
      }
    });
    return { upper, lower };
  };

  // A slice as a line, [slices before its end, mg], and whether it holds more than a line shows, judged by its
  // neighbours.
  const stroke = (before, range, after) => {
    const [low, high] = range;
    if (high - low <= STROKE) return { points: [[0.5, (low + high) / 2]] };
    const climb = (a, b) => b[0] + b[1] - a[0] - a[1];
    const shared = (a, b) => !a || !b ? 0 : Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]));
    // At an end of the run, a stroke keeps its direction.
    const into = before ? climb(before, range) : after ? climb(range, after) : 0;
    const out = after ? climb(range, after) : into;
    const slack = STROKE + (high - low) / 8;
    const near = [before || range, after || range];
    const isFull = shared(before, range) + shared(range, after) > high - low + slack;
    // The turn of a smooth motion: the other extreme is where the stroke of a neighbour ends or begins.
    if (!isFull && into > 0 && out < 0 && low >= Math.min(...near.map(r => r[1])) - slack) return { points: [[0.5, high]] };
    if (!isFull && into < 0 && out > 0 && high <= Math.max(...near.map(r => r[0])) + slack) return { points: [[0.5, low]] };
    return { isFull, points: out > 0 || (out === 0 && into >= 0) ? [[0.95, low], [0.05, high]] : [[0.95, high], [0.05, low]] };
  };

  const trace = (pen, shown, axis, x, y, colour) => {
    [pen.strokeStyle, pen.fillStyle] = [colour, colour];
    pen.lineWidth = 1.8;
    pen.lineJoin = pen.lineCap = "round";
    for (let start = 0, end; start < shown.length; start = end + 1) {
      for (end = start; end < shown.length && shown[end][1] !== null;) end++;
      if (end === start) continue;
      const { upper, lower } = outline(shown.slice(start, end), axis);
      pen.beginPath();
      for (const [place, mg] of [...upper, ...lower.reverse()]) pen.lineTo(x(place), y(mg));
      pen.closePath();
      pen.globalAlpha = 0.3;
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
  };

  const band = (pen, c, shown, area, x, step) => {
    const [upper, deep] = [area.bottom + 8, 18];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let start = 0; start < shown.length;) {
      let end = start + 1;
      while (end < shown.length && shown[end][7] === shown[start][7]) end++;
      const pose = shown[start][7];
      const left = Math.max(area.left, x(shown[start][0]) - step);
      const wide = Math.min(area.right, x(shown[end - 1][0])) - left;
      if (pose === null) {
        pen.strokeStyle = c.soft;
        pen.lineWidth = 1;
        pen.setLineDash([1, 3]);
        pen.beginPath();
        pen.moveTo(left, upper + deep / 2);
        pen.lineTo(left + wide, upper + deep / 2);
        pen.stroke();
        pen.setLineDash([]);
      } else {
        pen.fillStyle = c.poses[pose];
        pen.fillRect(left, upper, Math.max(1, wide - 1), deep);
        pen.fillStyle = c.text;
        // As in the strip of `plumb watch`: the letter, followed by the name if it fits.
        const [name, letter] = [`${POSES.letters[pose]} ${POSES.short[pose]}`, POSES.letters[pose]].map(t => [t, pen.measureText(t).width]);
        const text = name[1] + 8 < wide ? name[0] : letter[1] < wide ? letter[0] : null;
        if (text) pen.fillText(text, left + wide / 2, upper + deep / 2 + 0.5);
      }
      start = end;
    }
  };
  return { reset, add, draw, forget, outline };
})();
