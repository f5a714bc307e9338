(() => {
'use strict'
const byId = id => document.getElementById(id)
const D = JSON.parse(byId('data').textContent)
const words = (text, Kind) => new Kind(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer)
const T = words(D.times, Float64Array), V = words(D.values, Int16Array), K = words(D.known, Uint32Array)
const count = T.length, spans = V.length / 2 / count, none = -32768, gap = 1 << 15, wide = D.width * 10
const svg = byId('picture'), last = D.panels[D.panels.length - 1], first = D.panels[0]
const bottom = last.top + last.height, least = Math.max((D.to - D.from) / count * 8, 1e-6)
const hint = byId('read').textContent, clip = document.querySelector('#clip path')
// The drawings that can be pointed at, and the one that was last.
const views = [svg]
let over = svg
// The range in view; where a drag began, in s; the pointer over the picture, in pixels; the time of the cursor, in s. Null for none.
let from = D.from, to = D.to, drag = null, pointer = null, cursor = null
const factor = span => (span < 3 ? D.force : span < 10 ? D.angle : D.rotation) / 65536
const low = (i, span) => V[(i * spans + span) * 2], high = (i, span) => V[(i * spans + span) * 2 + 1]
const place = t => to > from ? Math.round((t - from) / (to - from) * wide) : wide / 2
const at = t => { let a = 0, b = count; while (a < b) { const m = (a + b) >> 1; T[m] < t ? a = m + 1 : b = m } return a }
const kinds = known => { const list = []; for (let k = 0; k < 6; k++) if (known >> k & 1) list.push(k); if (known >> 6 & 63) list.push(6); return list }
const make = (name, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const key in attributes) node.setAttribute(key, attributes[key])
  if (text !== undefined) node.textContent = text
  return node
}

// One path for the columns a to b: vertical from least to greatest in each, and joined where nothing is missing.
function line(panel, spanList, a, b) {
  const scale = panel.height * 10 / (panel.high - panel.low)
  const y = (v, span) => Math.round((panel.high - v * factor(span) * 65536) * scale)
  let d = '', before = null
  for (let i = a; i < b;) {
    const x = place(T[i])
    let j = i, broken = K[i] & gap
    const now = spanList.map(span => {
      let lo = Infinity, hi = -Infinity
      for (j = i; j < b && (j === i || place(T[j]) === x); j++) if (low(j, span) !== none) {
        lo = Math.min(lo, low(j, span)); hi = Math.max(hi, high(j, span))
      }
      return lo > hi ? null : [y(lo, span), y(hi, span)]
    })
    i = j
    now.forEach((s, n) => {
      if (!s) return
      const joins = (p, m) => p && (m === n || (!now[m] && !before[n] && Math.abs(p[1] - s[0]) < panel.height * 4.8))
      const from = before && !broken && before.find(joins)
      d += from ? `M${from[2]} ${from[1]}L${x} ${s[0]}` : `M${x} ${s[0]}`
      d += s[0] === s[1] ? (from ? '' : 'm-6 0h12') : 'V' + s[1]
      s.push(x)
    })
    before = now
  }
  return d
}

function bands(a, b) {
  const list = []
  for (let i = a; i < b; i++) {
    const isLast = i + 1 === count || K[i + 1] & gap, states = K[i] & 0xfff
    const begin = place(T[i]), stop = isLast ? begin : place(T[i + 1]), top = list[list.length - 1]
    if (stop < 0 || begin > wide) continue
    const x = Math.max(begin, 0), end = Math.min(stop, wide)
    if (top && top.states === states && !(K[i] & gap)) top.end = end
    else list.push({ x, end, states, kinds: kinds(states) })
  }
  return list
}

// The parts in view of the gaps before the columns a to b.
function gaps(a, b) {
  const list = []
  for (let i = Math.max(a, 1); i < b; i++) {
    const x = Math.max(place(T[i - 1]), 0), end = Math.min(place(T[i]), wide)
    const name = K[i] & gap && D.gaps[K[i] >> 24 & 3].find(text => text.length * 85 <= end - x)
    if (name) list.push([(x + end) / 2, name])
  }
  return list
}

function poses(list, missing) {
  const strip = Array(7).fill(''), tint = Array(7).fill('')
  const names = byId('names'), middle = byId('strip').firstElementChild.getAttribute('transform').match(/ (\d+)\)/)[1] * 1 + 20
  names.replaceChildren()
  for (const band of list) {
    const w = Math.max(band.end - band.x, 12), h = Math.floor(D.strip * 10 / band.kinds.length)
    band.x = Math.min(band.x, wide - w)
    band.kinds.forEach((k, row) => strip[k] += `M${band.x} ${row * h}h${w}v${h}h${-w}z`)
    if (band.kinds.length > 1) continue
    const k = band.kinds[0], room = w / 10 - 3
    tint[k] += `M${band.x} 0h${w}v100h${-w}z`
    const name = [D.short[k], D.letters[k]].find(text => text.length * 8.5 <= room)
    if (name) names.append(make('text', { class: 'label middle', x: D.left + (band.x + w / 2) / 10, y: middle }, name))
  }
  names.append(...missing.map(([x, name]) => make('text', { class: 'tick middle', x: D.left + x / 10, y: middle }, name)))
  const paths = texts => texts.map((d, k) => make('path', { class: 'pose p' + k, d }))
  byId('strip').firstElementChild.replaceChildren(...paths(strip))
  byId('tint').replaceChildren(...paths(tint))
}

const units = [['µs', 1e-6, 5e-4], ['ms', 1e-3, .5], ['s', 1, 300], ['min', 60, 10800, [1, 2, 5, 10, 15, 30]], ['h', 3600, 259200, [.5, 1, 2, 3, 6, 12]], ['days', 86400, Infinity]]
function axis() {
  const [unit, size, , steps] = units.find(u => to - from <= u[2]), about = (to - from) / 7 / size
  const power = 10 ** Math.floor(Math.log10(about))
  const step = (steps && about <= steps[steps.length - 1] && about >= steps[0] / 2 ? steps : [1, 2, 5, 10].map(n => n * power)).find(n => n >= about)
  const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))), labels = []
  let d = ''
  for (let n = Math.ceil(from / size / step); n * step * size <= to; n++) {
    const x = D.left + place(n * step * size) / 10
    labels.push(make('text', { class: 'tick middle', x, y: bottom + 20 }, (n * step).toFixed(step === .5 ? 1 : places).replace('-', '−')))
    d += `M${x} TOPvHEIGHT`
  }
  byId('times').replaceChildren(...labels)
  byId('unit').textContent = 'time since the first sample, ' + unit
  document.querySelectorAll('.upright').forEach((g, n) => {
    const p = D.panels[n]
    g.replaceChildren(make('path', { class: 'grid', d: d.replaceAll('TOP', p.top).replaceAll('HEIGHT', p.height) }))
  })
}

function draw() {
  const a = Math.max(0, at(from) - 1), b = Math.min(count, at(to) + 1)
  for (const panel of D.panels) for (const l of panel.lines) byId('line-' + l.id).setAttribute('d', line(panel, l.spans, a, b))
  poses(bands(a, b), gaps(a, b))
  // At an end of the recording, the round end of a line may stick out of the frame; where the view cuts a line, nothing
  // may.
  const left = from > D.from ? 0 : -20, right = to < D.to ? wide : wide + 20
  clip.setAttribute('d', `M${left}-20H${right}V8980H${left}z`);
  ['pose', 'shake', 'trouble', 'backwards'].forEach((mark, bit) => {
    const path = byId('mark-' + mark)
    let d = ''
    if (path) for (let i = a; i < b; i++) if (K[i] >> 16 + bit & 1 && T[i] >= from && T[i] <= to) d += `M${place(T[i])} 25v110`
    if (path) path.setAttribute('d', d)
  })
  axis()
  byId('range').textContent = from > D.from || to < D.to ? `${show(from)} to ${show(to)} s` : ''
}

const show = n => (Math.abs(n) >= 1e5 ? n.toFixed(1) : n.toFixed(n && to - from < 1 ? 5 : 3)).replace('-', '−')
function look(a, b) {
  if (!(D.to > D.from)) return
  const span = Math.min(Math.max(b - a, least), D.to - D.from), middle = (a + b) / 2
  from = Math.max(D.from, Math.min(D.to - span, middle - span / 2))
  to = from + span
  draw()
  // The cursor follows the pointer; without a pointer it stays at its time as long as that is in view.
  if (pointer !== null) read(timeAt(pointer))
  else if (cursor !== null) read(cursor >= from && cursor <= to ? cursor : null)
}

// Reads off the column in view nearest to the time t; reads off nothing if there is none or t is null.
function read(t) {
  const a = at(from)
  let i = Math.max(a, t === null ? 0 : at(t))
  if (i > a && (i === count || T[i] > to || t - T[i - 1] < T[i] - t)) i--
  cursor = t === null || i === count || T[i] > to ? null : T[i]
  if (cursor === null) {
    byId('cursor').removeAttribute('d')
    byId('read').textContent = hint
    return
  }
  const x = D.left + place(T[i]) / 10
  byId('cursor').setAttribute('d', `M${x} ${first.top}V${bottom}`)
  const known = D.states.filter((_, n) => K[i] >> n & 1).join(' / ')
  let html = `<span><b>${show(T[i])} s</b></span> <span><b>${known}</b></span><br>`
  for (const panel of D.panels) for (const l of panel.lines) {
    const ends = l.spans.filter(s => low(i, s) !== none).flatMap(s => [low(i, s) * factor(s), high(i, s) * factor(s)])
    const places = l.unit === 'g' ? 3 : 1, text = n => n.toFixed(places).replace('-', '−')
    const a = text(Math.min(...ends)), b = text(Math.max(...ends))
    html += `<span>${l.name} ${ends.length ? (a === b ? a : a + ' … ' + b) + (l.unit === '°' ? '°' : ' ' + l.unit) : '–'}</span> `
  }
  byId('read').innerHTML = html
}

const timeAt = pixel => {
  const box = over.getBoundingClientRect(), x = (pixel - box.left) / box.width * svg.viewBox.baseVal.width
  return Math.min(to, Math.max(from, from + (x - D.left) / D.width * (to - from)))
}
const time = e => { over = e.currentTarget; return timeAt(pointer = e.clientX) }
const keys = {
  '+': () => look(from + (to - from) / 4, to - (to - from) / 4), '-': () => look(from - (to - from) / 2, to + (to - from) / 2),
  ArrowLeft: () => look(from - (to - from) / 3, to - (to - from) / 3), ArrowRight: () => look(from + (to - from) / 3, to + (to - from) / 3),
  0: () => look(D.from, D.to),
}
const all = make('g', { id: 'all' })
all.append(...svg.childNodes, make('path', { id: 'chosen' }), make('path', { id: 'cursor' }))
svg.append(all)
// A wide screen shows parts of the same drawing side by side: the first panels with the axis of time, and the others.
if (D.panels.length > 3) {
  const part = (from, to) => {
    const view = make('svg', { viewBox: `0 ${from} ${svg.viewBox.baseVal.width} ${to - from}`, role: 'img', 'aria-label': svg.getAttribute('aria-label') })
    view.append(make('use', { href: '#all' }))
    views.push(view)
    return view
  }
  const [left, right] = [document.createElement('div'), document.createElement('div')], second = D.panels[1]
  left.append(part(0, second.top + second.height + 4), part(bottom + 4, bottom + 50))
  right.append(part(D.panels[2].top - 26, svg.viewBox.baseVal.height))
  byId('desk').append(left, right)
  document.querySelector('main').className = 'split'
}
if (!(D.to > D.from)) byId('buttons').hidden = true
byId('tools').hidden = false
document.querySelectorAll('button').forEach(b => b.addEventListener('click', keys[b.dataset.key]))
document.addEventListener('keydown', e => {
  const key = e.key === '=' ? '+' : e.key
  if (D.to > D.from && keys[key] && !e.ctrlKey && !e.metaKey && !e.altKey) { keys[key](); e.preventDefault() }
})
const move = e => {
  const t = time(e)
  read(t)
  if (drag === null) return
  const a = D.left + place(Math.min(drag, t)) / 10, b = D.left + place(Math.max(drag, t)) / 10
  byId('chosen').setAttribute('d', `M${a} ${first.top}H${b}V${bottom}H${a}z`)
}
const drop = e => {
  const begin = drag, end = time(e)
  drag = null
  byId('chosen').removeAttribute('d')
  if (e.type === 'pointerup' && begin !== null && Math.abs(place(begin) - place(end)) > 60) look(Math.min(begin, end), Math.max(begin, end))
  else if (e.type === 'pointerup') read(end)
}
for (const view of views) {
  view.addEventListener('pointerdown', e => { if (e.button === 0) { drag = time(e); view.setPointerCapture(e.pointerId) } })
  view.addEventListener('pointermove', move)
  view.addEventListener('pointerup', drop)
  view.addEventListener('pointercancel', drop)
  view.addEventListener('pointerleave', () => { pointer = null })
  view.addEventListener('dblclick', keys[0])
  view.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return
    e.preventDefault()
    const t = time(e), f = e.deltaY < 0 ? .8 : 1.25
    look(t - (t - from) * f, t + (to - t) * f)
  }, { passive: false })
}
})()
