// Returns what is wrong with a page as currently shown, as a list of sentences: what is cut off or hard to read, and
// the rules of WCAG 2.1 that axe-core calls serious and that these pages could break. test_page.py and test_web_page.py
// evaluate it in their pages.
(() => {
  const wrong = [];
  const isShown = element => {
    for (let e = element; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.display === "none" || style.visibility === "hidden" || e.classList.contains("unseen")) return false;
    }
    return true;
  };
  const say = (element, words) => wrong.push(`${element.id || element.className || element.tagName}: ${words}`);

  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const parts = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const backdrop = element => {
    for (let e = element; e; e = e.parentElement) {
      const found = parts(getComputedStyle(e).backgroundColor);
      if (found.length === 3 || (found.length === 4 && found[3] === 1)) return found.slice(0, 3);
    }
    return [255, 255, 255];
  };
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName) || !isShown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.left < -0.5 || box.right > innerWidth + 0.5) say(element, `"${node.data.trim()}" is cut off at ${box.left}…${box.right}`);
      const card = element.closest("section, header");
      const frame = card && card.getBoundingClientRect();
      const scrolls = element.closest("#notes") && getComputedStyle(document.getElementById("notes")).overflowY === "auto";
      if (frame && !scrolls && (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5)) {
        say(element, `"${node.data.trim()}" leaves its card`);
      }
    }
    if (element.closest("svg")) continue;
    const style = getComputedStyle(element);
    if (parseFloat(style.fontSize) < 12) say(element, `text of ${style.fontSize}`);
    const [front, back] = [luminance(parts(style.color)), luminance(backdrop(element))];
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < 4.5) say(element, `"${node.data.trim()}" has a contrast of ${contrast.toFixed(2)}`);
  }
  const board = [...document.querySelectorAll("#body polygon, #body text, .axis-name, #behind .bob")].filter(isShown)
    .map(e => e.getBoundingClientRect()).filter(r => r.width || r.height);
  const held = document.getElementById("held").getBoundingClientRect();
  const above = document.querySelector(".words").getBoundingClientRect().bottom;
  const below = document.getElementById("lamps").getBoundingClientRect().top;
  for (const box of board) {
    if (box.left < held.left || box.right > held.right || box.top < above - 2 || box.bottom > below + 2) {
      wrong.push(`the board leaves its place: ${box.left}…${box.right}, ${box.top}…${box.bottom} of ${above}…${below}`);
      break;
    }
  }
  const names = [...document.querySelectorAll("#lamps span")].map(e => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getBoundingClientRect();
  });
  names.slice(1).forEach((box, index) => {
    if (box.left < names[index].right + 2) wrong.push(`the names of lamps ${index} and ${index + 1} touch`);
  });
  const named = "button, input, select, [role=meter], [role=img], [role=group], [role=radiogroup], section, [tabindex]";
  for (const element of document.querySelectorAll(named)) {
    const label = element.getAttribute("aria-labelledby");
    const name = label ? document.getElementById(label)?.textContent : element.getAttribute("aria-label")
      || [...element.labels ?? []].map(e => e.textContent).join(" ") || element.textContent;
    if (!name || !name.trim()) say(element, "has no name for who cannot see it");
    if (element.tabIndex > 0) say(element, "has a place of its own in the order of the keyboard");
  }
  for (const element of document.querySelectorAll("button, select, input")) {
    if (!isShown(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 24 || box.height < 24) say(element, "is too small for a finger");
    if (element.parentElement.closest("button, a, [role=button]")) say(element, "is inside another control");
    if (element.closest("[aria-hidden=true]")) say(element, "is hidden from who cannot see it");
  }
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(" ")) {
        if (!document.getElementById(id)) say(element, `${name} names "${id}", which is nowhere`);
      }
    }
  }
  for (const list of document.querySelectorAll("ul, ol")) {
    if ([...list.children].some(e => e.tagName !== "LI")) say(list, "has children that are no items");
  }
  for (const list of document.querySelectorAll("dl")) {
    if ([...list.querySelectorAll("dt, dd")].some(e => e.parentElement !== list && e.parentElement.parentElement !== list)) say(list, "has a term elsewhere");
  }
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) say(heading, `a heading of level ${own} after one of level ${level}`);
    level = own;
  }
  if (document.querySelectorAll("main").length !== 1) wrong.push("there is not one main part");
  if (!document.documentElement.lang || !document.title.trim()) wrong.push("the page has no language or no title");
  if (/user-scalable=no|maximum-scale/.test(document.querySelector("meta[name=viewport]").content)) wrong.push("the page cannot be zoomed");
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  if (new Set(ids).size !== ids.length) wrong.push("two elements have the same id");
  return wrong;
})()
