/// The picture as a page, with numbers to read off and a closer look. Without scripts it is the picture.
enum PlotPage {
  static func text(_ data: PlotData, title: String) -> String {
    let (picture, panels) = PlotDrawing.text(data, title: title, isEmbedded: true)
    let name = SVG.escaped(title)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline'">
      <title>\(name)</title>
      <style>
      \(style)</style>
      <main>
      <div id="tools" hidden>
      <div id="buttons"><button data-key="+" aria-label="closer">+</button><button data-key="-" aria-label="farther">−</button>\
      <button data-key="ArrowLeft" aria-label="earlier">←</button><button data-key="ArrowRight" aria-label="later">→</button>\
      <button data-key="0">all</button><span id="range"></span></div>
      <div id="read" aria-live="off">Point at the picture to read it off; drag across it to look closer.</div>
      </div>
      \(picture)</main>
      <script type="application/json" id="data">
      \(PlotNumbers(data, panels).json)
      </script>
      <script>
      \(script)</script>
      </html>

      """
  }

  private static let style = """
    body{margin:0;background:#fff;color:#1f2933;font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    main{max-width:60rem;margin:0 auto}svg{display:block;width:100%;height:auto;touch-action:pan-y;user-select:none;-webkit-user-select:none}
    #tools:not([hidden]){position:sticky;top:0;background:#fff;padding:.5rem .8rem;border-bottom:1px solid #dde2e7;z-index:1}
    #buttons{display:flex;gap:.4rem;align-items:center;flex-wrap:wrap}
    button{font:inherit;min-width:2.6rem;min-height:2.2rem;border:1px solid #7b8794;border-radius:6px;background:#f5f7f9;color:inherit}
    #range{margin-left:.4rem}#read{min-height:4.4em;font-variant-numeric:tabular-nums}#read b{font-weight:600}#read span{white-space:nowrap;margin-right:.9em}
    #cursor{stroke:#c92a2a;stroke-width:1.5;fill:none;pointer-events:none}#chosen{fill:#0072b2;opacity:.2;pointer-events:none}
    @media (prefers-color-scheme:dark){body,#tools:not([hidden]){background:#0d1117;color:#e6edf3}#tools:not([hidden]){border-color:#30363d}
    button{background:#21262d;border-color:#8b949e}#cursor{stroke:#ff7b72}#chosen{fill:#62b8f5}}

    """
}
