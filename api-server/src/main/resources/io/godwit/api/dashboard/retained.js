import {ask, may, mayNot} from './actions.js'
import {Failed, get, path, query, send} from './api.js'
import {el, fill, say} from './dom.js'
import {bytes, count, hex, lines, time, until, visible} from './format.js'
import {CANNOT, canBeNamed, labelled, linkTo, searchForm, textField} from './names.js'
import {list} from './pager.js'

export const title = 'Retained'
export const isOfTenant = true

/** Of a payload. */
const SHOWN_BYTES = 65_536

export function show(frame) {
  const topic = frame.where.rest[0]
  if (topic !== undefined && topic !== '') {
    showOne(frame, topic, frame.where.query.get('tenant') ?? '')
  } else {
    showList(frame)
  }
}

function showList(frame) {
  const asked = frame.where.query
  const wanted = asked.get('filter') ?? '#'
  const filter = textField('filter', wanted, {required: true})
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '64'})
  const home = asked.get('tenant') ?? ''
  const found = list(frame, {path: '/api/v1/retained', search: {filter: wanted, tenant: home},
    caption: 'Retained messages', one: 'message', many: 'messages', keyOf: each => each.topic,
    columns: [{title: 'Topic', kind: 'wide'}, {title: 'QoS', kind: 'number'}, {title: 'Payload', kind: 'number'},
      {title: 'Received'}, {title: 'Expires'}],
    cells: each => [linkTo('retained', home, each.topic), each.qos, bytes(each.payloadBytes),
      time(each.receivedAtMillis), until(each.expiresAtMillis)]})
  frame.main.append(searchForm(() => '#/retained' + query({filter: filter.value, tenant: tenant.value}), found.restart,
    labelled('filter', 'Topic filter', filter), !frame.me.tenant && labelled('tenant', 'Tenant', tenant)),
  found.element)
}

const FIELDS = [
  ['QoS', message => message.qos],
  ['Payload', message => bytes(message.payloadBytes)],
  ['Received', message => time(message.receivedAtMillis)],
  ['Expires', message => until(message.expiresAtMillis)],
  ['Content type', message => visible(message.properties?.contentType ?? '–')],
  ['Response topic', message => visible(message.properties?.responseTopic ?? '–')],
  ['Correlation data', message => visible(message.properties?.correlationData ?? '–')],
  ['User properties', message => visible((message.properties?.userProperties ?? [])
    .map(each => each.name + ' = ' + each.value).join('; ') || '–')]
]

/** The bytes of a payload; null when the answer has none. */
function payloadOf(message) {
  if (message.payload === undefined) {
    return null
  }
  return message.encoding === 'base64' ? Uint8Array.from(atob(message.payload), each => each.charCodeAt(0))
    : new TextEncoder().encode(message.payload)
}

function showOne(frame, topic, tenant) {
  const target = canBeNamed(topic) ? '/api/v1' + path('retained', topic) + query({tenant}) : null
  const heading = document.getElementById('title')
  fill(heading, 'Retained ', el('bdi', {id: 'topic'}, visible(topic)))
  document.title = 'Retained ' + visible(topic, 60) + ' - Godwit'
  const values = FIELDS.map(() => el('dd'))
  const fields = el('dl', {class: 'fields', hidden: true}, FIELDS.map(([label], i) => [el('dt', {}, label), values[i]])
    .flat())
  const state = el('p', {id: 'retained-state', role: 'status'})
  const kind = el('select', {id: 'shown-as'}, el('option', {value: 'text'}, 'Text'), el('option', {value: 'hex'},
    'Hexadecimal'))
  const content = el('pre', {id: 'payload', class: 'payload', tabindex: '0', role: 'region', 'aria-label': 'Payload'})
  const cut = el('p', {id: 'cut', class: 'hint'})
  const part = el('div', {hidden: true},
    el('div', {class: 'search part'}, labelled('shown-as', 'Payload as', kind)), content, cut)
  const clear = el('button', {type: 'button', id: 'clear', class: 'danger', hidden: true}, 'Clear')
  frame.main.append(
    el('p', {class: 'links'}, el('a', {href: '#/retained'}, 'All retained messages'),
      el('a', {href: '#/subscriptions' + query({by: 'topic', text: topic, tenant})}, 'Who gets this topic')),
    el('div', {class: 'card'}, state, fields, part, el('div', {class: 'buttons'},
      may(frame.me, 'operator') ? clear : mayNot('To clear a message', 'operator'))))
  if (target === null) {
    say(state, CANNOT)
    return
  }
  let message = null
  let known = null
  const showPayload = () => {
    const payload = payloadOf(message)
    const first = payload?.subarray(0, SHOWN_BYTES)
    say(content, payload === null ? '' : kind.value === 'hex' ? hex(first) : lines(new TextDecoder().decode(first)))
    say(cut, payload === null ? 'The payload is larger than the API tells.'
      : payload.length > SHOWN_BYTES ? 'The first ' + count(SHOWN_BYTES) + ' bytes.' : '')
  }
  kind.addEventListener('change', showPayload)
  clear.addEventListener('click', () => ask(frame, clear, {title: 'Clear this retained message?', subject: topic,
    text: 'New subscribers do not get it any more. Those of now are told nothing.', yes: 'Clear'}, async () => {
    await send('DELETE', target)
    say(state, 'Cleared.')
  }))
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    try {
      const answer = await get(target)
      if (frame.gone.aborted) {
        return
      }
      message = answer.item
      if (known === null) {
        kind.value = message.encoding === 'base64' ? 'hex' : 'text'
      }
      FIELDS.forEach(([, write], i) => say(values[i], write(message)))
      const now = JSON.stringify(message)
      if (now !== known) {
        known = now
        showPayload()
      }
      fields.hidden = false
      part.hidden = false
      clear.hidden = false
      say(state, 'A message is retained.')
    } catch (e) {
      if (!(e instanceof Failed) || e.status !== 404) {
        throw e
      }
      fields.hidden = true
      part.hidden = true
      clear.hidden = true
      say(state, state.textContent === 'Cleared.' ? 'Cleared.' : 'No message of this topic is retained.')
    }
  }
}
