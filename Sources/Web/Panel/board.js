// The board in space. Its own frame: X to the right, Y up, Z out of its face; half its height is 1. `attitude` holds
// the directions of these three axes in a fixed frame of the same kind: X right, Y up, Z towards the viewer.
const Board = (() => {
  const [WIDE, HIGH, DEEP] = [0.72, 1, 0.07];
  // The eye is a little above and to the right of straight ahead (radians), at this distance.
  const [ABOVE, BESIDE, DISTANCE] = [0.42, 0.3, 6];
  const SCALE = 100;
  const LIGHT = [-0.35, 0.65, 0.67];
  const make = (name, classes, parent, more = {}) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    if (classes) element.setAttribute("class", classes);
    for (const key in more) element.setAttribute(key, more[key]);
    parent.append(element);
    return element;
  };

  // A point of the fixed frame as the eye sees it: turned about Y, then about X.
  const eye = ([x, y, z]) => {
    const [sb, cb, sa, ca] = [Math.sin(BESIDE), Math.cos(BESIDE), Math.sin(ABOVE), Math.cos(ABOVE)];
    const [u, w] = [x * cb - z * sb, x * sb + z * cb];
    return [u, y * ca - w * sa, y * sa + w * ca];
  };
  const seen = (p, a) => eye([0, 1, 2].map(i => p[0] * a[0][i] + p[1] * a[1][i] + p[2] * a[2][i]));
  const place = ([x, y, z]) => {
    const size = SCALE * DISTANCE / (DISTANCE - z);
    return [x * size, -y * size];
  };
  const minus = (p, q) => p.map((v, i) => v - q[i]);
  const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
  const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];

  const box = (x0, y0, x1, y1, z) => [[x0, y0, z], [x1, y0, z], [x1, y1, z], [x0, y1, z]];
  const disc = (x, y, r, z) => Array.from({ length: 14 }, (_, i) => {
    const t = i * Math.PI / 7;
    return [x + r * Math.cos(t), y + r * Math.sin(t), z];
  });
  const [w, h, d] = [WIDE, HIGH, DEEP];
  // Corners, counter-clockwise when seen from the outside.
  const SIDES = {
    face: box(-w, -h, w, h, d),
    back: box(-w, -h, w, h, -d).reverse(),
    top: [[-w, h, d], [w, h, d], [w, h, -d], [-w, h, -d]],
    bottom: [[-w, -h, -d], [w, -h, -d], [w, -h, d], [-w, -h, d]],
    right: [[w, -h, d], [w, -h, -d], [w, h, -d], [w, h, d]],
    left: [[-w, -h, -d], [-w, -h, d], [-w, h, d], [-w, h, -d]],
  };
  const CHIP = [0, 0.1];
  const AXES = { x: [0.92, CHIP[1], d], y: [CHIP[0], 1.2, d], z: [CHIP[0], CHIP[1], d + 0.72] };

  const parts = {};
  const polygons = [];
  const words = [];
  const build = svg => {
    const [behind, body, before] = ["behind", "body", "before"].map(id => svg.querySelector("#" + id));
    parts.string = make("line", "string", behind);
    parts.bob = make("path", "bob", behind);
    parts.axes = make("g", "", behind);
    [parts.behind, parts.before] = [behind, before];
    for (const name of ["top", "bottom", "right", "left"]) parts[name] = make("polygon", "rim", body, { id: "side-" + name });
    for (const [name, z] of [["face", d], ["back", -d]]) {
      const group = make("g", "", body);
      parts[name + "-group"] = group;
      parts[name] = make("polygon", name === "face" ? "face" : "face under", group, { id: "side-" + name });
      const shape = (classes, points) => polygons.push([make("polygon", classes, group), points]);
      shape("strip", box(-w, h * 0.8, w, h, z));
      for (const [x, y] of [[-0.6, -0.88], [0.6, -0.88], [-0.6, 0.66], [0.6, 0.66]]) shape("hole", disc(x, y, 0.05, z));
      for (let i = 0; i < 8; i++) {
        const x = -0.42 + 0.12 * i;
        name === "face" ? shape("pin", box(x - 0.03, -0.93, x + 0.03, -0.83, z)) : shape("pin", disc(x, -0.88, 0.035, z));
      }
      if (name === "face") {
        shape("chip", box(-0.17, CHIP[1] - 0.17, 0.17, CHIP[1] + 0.17, z));
        shape("silk", disc(-0.12, CHIP[1] + 0.12, 0.022, z));
      }
      parts[name + "-veil"] = make("polygon", "veil", group);
      const right = name === "face" ? 1 : -1;
      const word = (text, x, y, classes, size) => {
        const element = make("text", "silk " + classes, group, { "font-size": size, y: size * 0.36 });
        element.textContent = text;
        words.push([element, [x, y, z], [right, 0, 0]]);
      };
      word("TOP", -0.48 * right, h * 0.9, "on-strip", 11);
      word(name === "face" ? "FACE" : "BACK", 0, -0.5, "", 17);
    }
    for (const name in AXES) {
      parts["axis-" + name] = make("line", "axis " + name, parts.axes);
      parts["name-" + name] = make("text", "axis-name " + name, parts.axes);
      parts["name-" + name].textContent = name.toUpperCase();
    }
  };

  const fixed = value => value.toFixed(2);
  const draw = (element, points, a) =>
    element.setAttribute("points", points.map(p => place(seen(p, a)).map(fixed).join(",")).join(" "));
  const line = (element, p, q) => {
    [["x1", p[0]], ["y1", p[1]], ["x2", q[0]], ["y2", q[1]]].forEach(([key, value]) => element.setAttribute(key, fixed(value)));
  };
  // Text lies on the board with the perspective that its plane has at one point.
  const lay = ([element, origin, right], a) => {
    const [step, size] = [0.05, 0.012];
    const at = place(seen(origin, a));
    const along = place(seen(origin.map((v, i) => v + right[i] * step), a));
    const up = place(seen([origin[0], origin[1] + step, origin[2]], a));
    const scale = size / step;
    const matrix = [along[0] - at[0], along[1] - at[1], at[0] - up[0], at[1] - up[1]].map(v => (v * scale).toFixed(4));
    element.setAttribute("transform", `matrix(${matrix.join(" ")} ${at.map(fixed).join(" ")})`);
  };

  const isVisible = (corners, a) => {
    const [p, q, r] = corners.map(c => seen(c, a));
    const normal = cross(minus(q, p), minus(r, q));
    return dot(normal, minus([0, 0, DISTANCE], p)) > 0;
  };
  const show = (element, isShown) => element.setAttribute("visibility", isShown ? "visible" : "hidden");

  const update = a => {
    const showsFace = isVisible(SIDES.face, a);
    const showsBack = isVisible(SIDES.back, a);
    for (const name in SIDES) {
      draw(parts[name], SIDES[name], a);
      if (name !== "face" && name !== "back") show(parts[name], isVisible(SIDES[name], a));
    }
    for (const [name, isShown, sign] of [["face", showsFace, 1], ["back", showsBack, -1]]) {
      parts[name + "-group"].setAttribute("visibility", isShown ? "visible" : "hidden");
      draw(parts[name + "-veil"], SIDES[name], a);
      const brightness = Math.max(0, sign * dot(a[2], LIGHT));
      parts[name + "-veil"].setAttribute("opacity", fixed(0.26 * (1 - brightness)));
    }
    for (const [element, points] of polygons) draw(element, points, a);
    for (const word of words) lay(word, a);
    const owner = showsFace ? parts.before : parts.behind;
    if (parts.axes.parentNode !== owner) owner.append(parts.axes);
    const root = [CHIP[0], CHIP[1], d];
    for (const name in AXES) {
      const end = AXES[name];
      line(parts["axis-" + name], place(seen(root, a)), place(seen(end, a)));
      const beyond = place(seen(end.map((v, i) => v + (v - root[i]) * 0.13), a));
      parts["name-" + name].setAttribute("x", fixed(beyond[0]));
      parts["name-" + name].setAttribute("y", fixed(beyond[1]));
    }
    // The plumb line hangs behind the board.
    const [from, to] = [place(eye([0, 1.55, -0.1])), place(eye([0, -1.36, -0.1]))];
    line(parts.string, from, to);
    parts.bob.setAttribute("d", `M${fixed(to[0] - 5)} ${fixed(to[1] - 2)}h10l-5 17z`);
  };
  return { build, update, sides: SIDES, seen, place };
})();
