// Unpacks the page's style and script. They are packed because not every server packs what it sends; the page's policy
// has the hash of the script, so no other can run.
"use strict";
(async () => {
  const text = async name => {
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Some servers have the browser unpack it.
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const said = document.getElementById("said");
  try {
    const [style, code] = await Promise.all([text("page.css.gz"), text("page.js.gz")]);
    const [sheet, script] = [new CSSStyleSheet(), document.createElement("script")];
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
    script.textContent = code;
    document.head.append(script);
  } catch (error) {
    said.textContent = `This page cannot be loaded: ${error.message}. It needs a web server, and a browser of 2023 or later.`;
  }
  document.querySelector("main").hidden = false;
})();
