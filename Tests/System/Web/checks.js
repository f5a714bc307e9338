// Returns what is wrong with the page as currently shown, as a list of sentences. test_page.py evaluates it in the
// page.
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
  for (const element of document.querySelectorAll("button, [role=meter], [role=img], section, [tabindex]")) {
    const label = element.getAttribute("aria-labelledby");
    const name = label ? document.getElementById(label)?.textContent : element.getAttribute("aria-label") || element.textContent;
    if (!name || !name.trim()) say(element, "has no name for who cannot see it");
  }
  for (const button of document.querySelectorAll("button")) {
    const box = button.getBoundingClientRect();
    if (box.width < 24 || box.height < 24) say(button, "is too small for a finger");
  }
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  if (new Set(ids).size !== ids.length) wrong.push("two elements have the same id");
  return wrong;
})()
