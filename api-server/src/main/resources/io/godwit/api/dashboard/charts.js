import {el, fill, keyed, say} from './dom.js'

// A chart of lines over time by uPlot, with its latest figures as text beside it and the last minutes as a table: who
// does not see the lines has the figures.

const HEIGHT = 190
const SHORTEST_MILLIS = 300_000
const TABLE_POINTS = 30
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4], [3, 6], [8, 3, 2, 3, 2, 3]]
export const MAX_LINES = DASHES.length

const schemes = matchMedia('(prefers-color-scheme: dark)')

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** Where a line has a value without a neighbour, which would not be seen: it gets a point. */
function alone(u, series) {
  const values = u.data[series]
  const found = []
  values.forEach((value, i) => {
    if (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null) {
      found.push(i)
    }
  })
  return found.length ? found : null
}

function clock(atMillis, seconds) {
  return new Date(atMillis).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', hour12: false,
    ...(seconds ? {second: '2-digit'} : {})})
}

/** Steps of an axis for what has no fractions. */
const WHOLE = Array.from({length: 13}, (each, i) => [1, 2, 5].map(step => step * 10 ** i)).flat()

/**
 * Makes a chart; `write` makes a text of a value, `isWhole` when it has no fractions. Its set(times, lines) draws lines
 * [{name, values}], a value for each time or null. `gone` ends it.
 */
export function chart(id, title, write, gone, isWhole = false) {
  const place = el('div', {class: 'plot', role: 'img', id: id + '-plot'})
  const legend = el('ul', {class: 'legend'})
  const head = el('tr')
  const body = el('tbody')
  const figures = el('details', {}, el('summary', {}, 'Figures'),
    el('div', {class: 'table', tabindex: '0', role: 'region', 'aria-label': title + ', figures'},
      el('table', {class: 'plain'}, el('thead', {}, head), body)))
  const element = el('figure', {class: 'card', id},
    el('figcaption', {}, title), legend, place, figures)
  let plot = null
  let drawn = ''
  let times = []
  let lines = []

  const showLegend = at => {
    const index = at ?? times.length - 1
    keyed(legend, lines.map((line, i) => ({...line, i})), line => line.name, () =>
      el('li', {}, el('span', {class: 'line', 'aria-hidden': 'true'}), el('span'), el('b')),
      (item, line) => {
        item.children[0].style.borderTopColor = colour('--line-' + (line.i + 1))
        item.children[0].style.borderTopStyle = line.i === 0 ? 'solid' : line.i % 2 === 1 ? 'dashed' : 'dotted'
        say(item.children[1], line.name)
        say(item.children[2], write(line.values[index]))
      })
  }

  const build = () => {
    plot?.destroy()
    const text = colour('--text-2')
    const grid = {stroke: colour('--grid'), width: 1}
    plot = new uPlot({
      width: Math.max(200, place.clientWidth),
      height: HEIGHT,
      ms: 1,
      legend: {show: false},
      cursor: {y: false, drag: {x: false, y: false}},
      scales: {
        x: {range: (u, from, to) => to === null ? [0, 1] : [Math.min(from, to - SHORTEST_MILLIS), to]},
        y: {range: (u, from, to) => [0, to > 0 ? to * 1.1 : 1]}
      },
      axes: [
        {stroke: text, grid, ticks: grid, space: 60, size: 34,
          values: (u, splits, axis, space, step) => splits.map(each => clock(each, step < 60_000))},
        {stroke: text, grid, ticks: grid, size: 64, ...(isWhole ? {incrs: WHOLE} : {}),
          values: (u, splits) => splits.map(each => write(each))}
      ],
      series: [{}, ...lines.map((line, i) =>
        ({label: line.name, stroke: colour('--line-' + (i + 1)), width: 2, dash: DASHES[i],
          points: {show: false, size: 5, filter: alone}}))],
      hooks: {setCursor: [u => showLegend(u.cursor.left >= 0 ? u.cursor.idx : null)]}
    }, [times, ...lines.map(line => line.values)], place)
  }

  const set = (newTimes, newLines) => {
    times = newTimes
    lines = newLines.slice(0, MAX_LINES)
    const names = lines.map(line => line.name).join('\n')
    if (names !== drawn || plot === null) {
      drawn = names
      build()
    } else {
      plot.setData([times, ...lines.map(line => line.values)])
    }
    showLegend(null)
    place.setAttribute('aria-label', title + ': ' + (times.length === 0 ? 'no figures yet'
      : lines.map(line => line.name + ' ' + write(line.values[times.length - 1])).join(', ')))
    showFigures()
  }

  const showFigures = () => {
    if (!figures.open) {
      return
    }
    fill(head, el('th', {scope: 'col'}, 'Time'),
      lines.map(line => el('th', {scope: 'col', class: 'number'}, line.name)))
    const rows = []
    for (let i = times.length - 1; i >= 0 && rows.length < TABLE_POINTS; i--) {
      rows.push(el('tr', {}, el('th', {scope: 'row'}, clock(times[i], true)),
        lines.map(line => el('td', {class: 'number'}, write(line.values[i])))))
    }
    fill(body, rows)
  }

  figures.addEventListener('toggle', showFigures)
  const sizes = new ResizeObserver(() => plot?.setSize({width: Math.max(200, place.clientWidth), height: HEIGHT}))
  sizes.observe(place)
  const repaint = () => {
    if (plot) {
      build()
      showLegend(null)
    }
  }
  schemes.addEventListener('change', repaint, {signal: gone})
  gone.addEventListener('abort', () => {
    sizes.disconnect()
    plot?.destroy()
    plot = null
  })
  return {element, set}
}
