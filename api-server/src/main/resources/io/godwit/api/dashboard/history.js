import {get, query} from './api.js'

// The last hour of the nodes, as far as this tab has asked for it: each time only what is new.

const KEPT_MILLIS = 3_600_000

let nodes = new Map()
let sum = []
let missing = []

export function clear() {
  nodes = new Map()
  sum = []
  missing = []
}

/** Asks for what is new; returns {nodes: [{id, name, points}], sum: [points], missing: [ids]}. */
export async function load() {
  const last = sum.length ? sum[sum.length - 1].atMillis : null
  const told = await get('/api/v1/history' + query({since: last}))
  const members = new Map()
  for (const node of told.items) {
    members.set(node.id, {id: node.id, name: node.name || node.id,
      points: joined(nodes.get(node.id)?.points ?? [], node.points)})
  }
  for (const id of told.missingNodes) {
    if (nodes.has(id)) {
      members.set(id, nodes.get(id))
    }
  }
  nodes = new Map([...members].sort(([one], [other]) => one < other ? -1 : 1))
  sum = joined(sum, told.sum)
  missing = told.missingNodes
  return {nodes: [...nodes.values()], sum, missing}
}

function joined(known, more) {
  const byTime = new Map([...known, ...more].map(point => [point.atMillis, point]))
  const points = [...byTime.values()].sort((one, other) => one.atMillis - other.atMillis)
  const newest = points.length ? points[points.length - 1].atMillis : 0
  return points.filter(point => point.atMillis > newest - KEPT_MILLIS)
}
