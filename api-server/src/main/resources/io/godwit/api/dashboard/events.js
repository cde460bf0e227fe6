import {query} from './api.js'
import {el, say} from './dom.js'
import {live} from './live.js'
import {addressForm, choice, labelled, nodeNames, textField} from './names.js'

export const title = 'Events'
export const isOfTenant = true

export const TYPES = ['acknowledgements-held', 'acknowledgements-resumed', 'auth-failed', 'auth-file-loaded',
  'auth-file-rejected', 'banned', 'certificates-rejected', 'certificates-reloaded', 'client-connected',
  'client-disconnected', 'client-redirected', 'connect-abandoned', 'connect-denied', 'connect-refused',
  'connect-timed-out', 'connection-refused', 'member-evicted', 'member-lapsed', 'member-left', 'member-serving',
  'memory-recovered', 'memory-short', 'message-acknowledged', 'message-delivered', 'message-dropped', 'message-queued',
  'node-lapsed', 'node-serving-again', 'packet-abandoned', 'plugin-failed', 'protocol-violated', 'publish-accepted',
  'publish-denied', 'publish-intercepted', 'publish-received', 'publish-refused', 'queue-full-began',
  'queue-full-ended', 'range-leadership-began', 'range-leadership-ended', 'range-replicas-changed', 'range-split',
  'ranges-merged', 'replay-delayed', 'replay-limited', 'replica-stopped', 'retained-message-cleared',
  'retained-message-expired', 'retained-message-set', 'session-created', 'session-ended', 'slow-consumer-began',
  'slow-consumer-ended', 'store-degraded', 'store-recovered', 'sub-broker-began', 'sub-broker-delayed',
  'sub-broker-ended', 'subscribe-denied', 'subscribe-refused', 'subscribed', 'tenant-limit-reached', 'throttling-began',
  'throttling-ended', 'unsubscribed', 'wait-ran-out', 'will-delayed', 'will-published', 'will-suppressed']

export async function show(frame) {
  const asked = frame.where.query
  const chosen = new Set((asked.get('type') ?? '').split(',').filter(each => each !== ''))
  const boxes = TYPES.map(name => el('input', {type: 'checkbox', id: 'type-' + name, value: name,
    checked: chosen.has(name)}))
  const wanted = () => boxes.filter(box => box.checked).map(box => box.value)
  const summary = el('summary')
  const count = () => say(summary, 'Types: ' + (wanted().length === 0 ? 'all'
    : wanted().length + ' of ' + TYPES.length))
  const types = el('details', {id: 'types'}, summary, el('div', {class: 'ticks'}, boxes.map(box =>
    el('div', {class: 'tick'}, box, el('label', {for: box.id}, box.value)))))
  types.addEventListener('change', count)
  count()
  const client = textField('client', asked.get('clientId'))
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '256'})
  const node = choice('node', [['', 'all']], '')
  const panel = live(frame, {caption: 'Events', file: 'events.txt', isEndless: true,
    target: () => '/api/v1/events' + query({type: asked.get('type'), clientId: asked.get('clientId'),
      tenant: asked.get('tenant'), node: asked.get('node')})})
  frame.main.append(addressForm('Watch', () => '#/events' + query({type: wanted().join(','), clientId: client.value,
    tenant: tenant.value, node: node.value}), panel.start,
  labelled('client', 'Client id', client),
  !frame.me.tenant && labelled('tenant', 'Tenant', tenant),
  !frame.me.tenant && labelled('node', 'Node', node),
  types), panel.element)
  panel.start()
  for (const [id, name] of await nodeNames(frame.me)) {
    node.append(el('option', {value: id, selected: id === asked.get('node')}, name))
  }
}
