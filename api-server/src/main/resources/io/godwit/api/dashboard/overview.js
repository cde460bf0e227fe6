import {get} from './api.js'
import {chart, MAX_LINES} from './charts.js'
import {el, fill, say} from './dom.js'
import {count, millis, rate, UNKNOWN, visible} from './format.js'
import * as history from './history.js'

export const title = 'Overview'
export const isOfTenant = false

const TILES = [
  ['connections', 'Connections', told => count(told.point?.connections)],
  ['in', 'Messages in per second', told => rate(told.point?.inPerSecond)],
  ['out', 'Messages out per second', told => rate(told.point?.outPerSecond)],
  ['dropped', 'Dropped per second', told => rate(told.point && total(told.point.droppedPerSecond))],
  ['sessions', 'Sessions', told => count(told.stats['sessions.count'])],
  ['subscriptions', 'Subscriptions', told => count(told.stats['subscriptions.count'])],
  ['retained', 'Retained messages', told => count(told.stats['retained.count'])],
  ['nodes', 'Nodes that answer', told => count(told.nodes)]
]

function total(rates) {
  return Object.values(rates).reduce((one, other) => one + other, 0)
}

export function show(frame) {
  const health = el('p', {id: 'health', class: 'health'})
  const tiles = TILES.map(([name, label]) => el('div', {class: 'tile card', id: 'tile-' + name},
    el('dt', {}, label), el('dd', {}, '–')))
  const charts = {
    in: chart('chart-in', 'Messages in per second', rate, frame.gone),
    out: chart('chart-out', 'Messages out per second', rate, frame.gone),
    connections: chart('chart-connections', 'Connections', count, frame.gone, true),
    dropped: chart('chart-dropped', 'Dropped per second, by reason, all nodes', rate, frame.gone),
    latency: chart('chart-latency', 'Latency from in to out, all nodes', millis, frame.gone)
  }
  const missing = el('p', {class: 'error', id: 'missing'})
  frame.main.append(health, missing, el('dl', {class: 'tiles'}, tiles),
    el('div', {class: 'charts'}, Object.values(charts).map(each => each.element)),
    el('p', {class: 'hint'}, 'The last hour, in steps of ten seconds, out of the memory of the nodes. Latency is ',
      'measured of one of 64 copies and to a millisecond. A node that was restarted begins anew.'))
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    const [hour, sums, ready] = await Promise.all([history.load(), get('/api/v1/stats/sum'), get('/health/ready')])
    if (frame.gone.aborted) {
      return
    }
    const point = hour.sum[hour.sum.length - 1]
    const told = {point, stats: sums.stats, nodes: hour.nodes.length - hour.missing.length}
    TILES.forEach(([, , write], i) => {
      const text = write(told)
      say(tiles[i].lastElementChild, text)
      tiles[i].hidden = text === UNKNOWN // such as of stored sessions, where nodes do not count them
    })
    const reasons = ready.reasons ?? []
    health.classList.toggle('bad', ready.status !== 'ok')
    say(health, ready.status === 'ok' ? 'The node that you ask is ready.'
      : 'The node that you ask is not ready: ' + reasons.map(each => visible(each)).join('; '))
    say(missing, hour.missing.length ? 'No answer from ' + hour.missing.map(each => visible(each)).join(', ') +
      ': its figures are missing from the sums.' : '')
    draw(charts, hour)
  }
}

function draw(charts, hour) {
  const times = [...new Set([...hour.sum, ...hour.nodes.flatMap(node => node.points)].map(point => point.atMillis))]
    .sort((one, other) => one - other)
  const line = (name, points, value) => {
    const byTime = new Map(points.map(point => [point.atMillis, point]))
    return {name, values: times.map(each => byTime.has(each) ? value(byTime.get(each)) ?? null : null)}
  }
  const perNode = value => hour.nodes.length < 2 ? [line('All', hour.sum, value)]
    : [line('All', hour.sum, value),
      ...hour.nodes.slice(0, MAX_LINES - 1).map(node => line(visible(node.name, 40), node.points, value))]
  charts.in.set(times, perNode(point => point.inPerSecond))
  charts.out.set(times, perNode(point => point.outPerSecond))
  charts.connections.set(times, perNode(point => point.connections))
  charts.dropped.set(times, drops(hour.sum, line))
  charts.latency.set(times, ['p50', 'p95', 'p99'].map(name =>
    line(name, hour.sum, point => point.latencyMillis?.[name])))
}

/** The reasons with the most, and the rest as one. */
function drops(sum, line) {
  const totals = new Map()
  for (const point of sum) {
    for (const [reason, value] of Object.entries(point.droppedPerSecond)) {
      totals.set(reason, (totals.get(reason) ?? 0) + value)
    }
  }
  const reasons = [...totals.keys()].sort((one, other) => totals.get(other) - totals.get(one))
  if (reasons.length === 0) {
    return [line('none', sum, () => 0)]
  }
  const own = reasons.length <= MAX_LINES ? reasons : reasons.slice(0, MAX_LINES - 1)
  const lines = own.sort().map(reason =>
    line(visible(reason.replaceAll('_', ' '), 40), sum, point => point.droppedPerSecond[reason] ?? 0))
  if (own.length < reasons.length) {
    lines.push(line('others', sum, point => total(point.droppedPerSecond) -
      own.reduce((all, reason) => all + (point.droppedPerSecond[reason] ?? 0), 0)))
  }
  return lines
}
