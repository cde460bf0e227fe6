import {get} from './api.js'
import {el, table} from './dom.js'
import {bytes, count, rate, share, visible} from './format.js'
import * as history from './history.js'

export const title = 'Nodes'
export const isOfTenant = false

function state(node) {
  const words = [node.liveness]
  if (node.draining) {
    words.push('draining')
  }
  if (node.forgotten) {
    words.push('forgotten')
  }
  const text = words.join(', ')
  return el('span', {class: 'state ' + (node.liveness === 'alive' && words.length === 1 ? 'good'
    : node.liveness === 'down' ? 'bad' : 'so-so'), 'data-mark': text}, text)
}

function name(node) {
  const text = (node.rpcAddress || node.id) + (node.thisNode ? ' (asked)' : '')
  return el('span', {'data-mark': text}, el('bdi', {}, visible(node.rpcAddress || node.id)),
    node.thisNode && el('small', {}, ' (asked)'),
    node.rpcAddress !== '' && el('small', {class: 'below'}, visible(node.id)))
}

export function show(frame) {
  const nodes = table('Nodes', [{title: 'Node'}, {title: 'State'}, {title: 'Version'}, {title: 'Zone'},
    {title: 'CPU', kind: 'number'}, {title: 'Disk free', kind: 'number'}, {title: 'Leads', kind: 'number'},
    {title: 'Replicas', kind: 'number'}, {title: 'Clients', kind: 'number'}, {title: 'In/s', kind: 'number'},
    {title: 'Out/s', kind: 'number'}])
  frame.main.append(el('div', {class: 'card'}, nodes.element))
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    const [list, hour] = await Promise.all([get('/api/v1/nodes'), history.load()])
    if (frame.gone.aborted) {
      return
    }
    const last = new Map(hour.nodes.filter(node => !hour.missing.includes(node.id))
      .map(node => [node.id, node.points[node.points.length - 1]]))
    nodes.rows(list.items, node => node.id, node => {
      const point = last.get(node.id)
      return [name(node), state(node), visible(node.version, 60), visible(node.zone, 60),
        share(node.cpuLoad) + (node.cores > 0 ? ' of ' + node.cores : ''),
        node.diskTotalBytes > 0 ? bytes(node.diskFreeBytes) + ' of ' + bytes(node.diskTotalBytes) : '–',
        count(node.leaders), count(node.replicas), count(point?.connections), rate(point?.inPerSecond),
        rate(point?.outPerSecond)]
    })
  }
}
