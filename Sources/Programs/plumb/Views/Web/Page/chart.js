// The history of x, y and z as three lines, with the poses below.
const Chart = (() => {
  const CAPACITY = 900;
  // Each [number, least x, greatest x, … of y, … of z (mg, or null), pose (or null)].
  let slices = [];
  let interval = 0.1;
  let colours = null;

  const reset = seconds => { slices = []; interval = seconds; };
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

  // The seconds that are shown: all there are, until they are as many as suit the width.
  const span = width => {
    const past = slices.length ? (slices[slices.length - 1][0] - slices[0][0]) * interval : 0;
    return Math.min(width < 460 ? 30 : width < 900 ? 60 : 80, Math.max(1, past));
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
    const shown = slices.filter(s => (last - s[0]) * step <= area.right - area.left);
    const x = n => area.right - (last - n) * step;
    const top = greatest(shown);
    const y = mg => area.top + (top - mg / 1000) / (2 * top) * (area.bottom - area.top);
    grid(pen, c, area, top, y, seconds);
    for (const axis of [2, 1, 0]) trace(pen, shown, axis, x, y, c.lines[axis]);
    band(pen, c, shown, area, x, step);
  };

  // The least of a few round scales that shows everything, g.
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
    const every = [0.5, 1, 2, 5, 10, 15, 20].find(step => seconds / step <= 4) || 20;
    for (let back = 0; back <= seconds + 1e-9; back += every) {
      const at = area.right - back / seconds * (area.right - area.left);
      pen.textAlign = back === 0 ? "right" : at - area.left < 20 ? "left" : "center";
      pen.fillText(back === 0 ? "now" : `−${back} s`, at, area.bottom + 42);
    }
  };

  const trace = (pen, shown, axis, x, y, colour) => {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.8;
    pen.lineJoin = "round";
    pen.beginPath();
    let isDown = false;
    for (const s of shown) {
      const [low, high] = [s[1 + 2 * axis], s[2 + 2 * axis]];
      if (low === null) { isDown = false; continue; }
      const at = x(s[0]);
      if (isDown) pen.lineTo(at, y(high)); else pen.moveTo(at, y(high));
      pen.lineTo(at, y(low));
      isDown = true;
    }
    pen.stroke();
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
        // As in the strip of `plumb watch`: the letter, and the name after it where it fits.
        const [name, letter] = [`${POSES.letters[pose]} ${POSES.short[pose]}`, POSES.letters[pose]].map(t => [t, pen.measureText(t).width]);
        const text = name[1] + 8 < wide ? name[0] : letter[1] < wide ? letter[0] : null;
        if (text) pen.fillText(text, left + wide / 2, upper + deep / 2 + 0.5);
      }
      start = end;
    }
  };
  return { reset, add, draw, forget };
})();
