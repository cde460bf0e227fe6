import {ask, may, mayNot} from './actions.js'
import {Failed, get, path, query, send} from './api.js'
import {el, fill, say} from './dom.js'
import {bytes, count, time, until, visible} from './format.js'
import {CANNOT, PROTOCOLS, canBeNamed, choice, labelled, linkTo, nodeName, nodeNames, searchForm, textField} from
  './names.js'
import {list} from './pager.js'

export const title = 'Sessions'
export const isOfTenant = true

const BY = [['clientIdPrefix', 'Client id begins with'], ['clientIdContains', 'Client id contains']]
const NEVER_SECONDS = 4294967295

export function show(frame) {
  const id = frame.where.rest[0]
  if (id !== undefined && id !== '') {
    showOne(frame, id, frame.where.query.get('tenant') ?? '')
  } else {
    showList(frame)
  }
}

function showList(frame) {
  const asked = frame.where.query
  const by = BY.some(([name]) => name === asked.get('by')) ? asked.get('by') : BY[0][0]
  const kind = choice('by', BY, by)
  const text = textField('text', asked.get('text'), {type: 'search', maxlength: '1024'})
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '256'})
  const queued = el('input', {id: 'queued', type: 'number', min: '0', max: '2147483647', value: asked.get('queued')})
  const away = el('input', {id: 'away', type: 'checkbox', checked: asked.get('away') === 'true'})
  const found = list(frame, {path: '/api/v1/sessions', search: {tenant: asked.get('tenant'),
    minQueued: asked.get('queued'), onlyDisconnected: asked.get('away'), [by]: asked.get('text')},
  caption: 'Sessions', one: 'session', many: 'sessions', isOfNodes: true,
  keyOf: each => each.tenant + '\0' + each.clientId,
  columns: [{title: 'Client id', kind: 'wide'}, {title: 'Tenant', kind: 'wrap'}, {title: 'User', kind: 'wrap'},
    {title: 'Connected'}, {title: 'Queued', kind: 'number'}, {title: 'Bytes', kind: 'number'},
    {title: 'In flight', kind: 'number'}, {title: 'Subscriptions', kind: 'number'}, {title: 'Home', kind: 'wide'},
    {title: 'Ends'}],
  cells: (each, names) => [
    linkTo('sessions', each.tenant, each.clientId), visible(each.tenant, 60), visible(each.userName, 60),
    each.connected ? 'yes' : 'no', count(each.queuedMessages), bytes(each.queuedBytes), count(each.inFlight),
    count(each.subscriptions), nodeName(names, each.home), ends(each)]})
  frame.main.append(searchForm(() => '#/sessions' + query({by: text.value === '' ? '' : kind.value, text: text.value,
    tenant: tenant.value, queued: queued.value, away: away.checked ? 'true' : ''}), found.restart,
  labelled('by', 'Search', kind),
  labelled('text', 'Text', text),
  !frame.me.tenant && labelled('tenant', 'Tenant', tenant),
  labelled('queued', 'Queued at least', queued),
  el('div', {class: 'tick'}, away, el('label', {for: 'away'}, 'Only disconnected'))), found.element)
}

/** While its client is connected it has no end. */
function ends(session) {
  return session.connected ? '–' : until(session.endsAtMillis)
}

const FIELDS = [
  ['Tenant', session => visible(session.tenant)],
  ['User name', session => visible(session.userName)],
  ['MQTT', session => PROTOCOLS[session.protocolLevel] ?? session.protocolLevel],
  ['Home', (session, names) => visible(names.get(session.home) ?? session.home)],
  ['Connected', session => session.connected ? 'yes'
    : 'no' + (session.disconnectedAtMillis > 0 ? ', since ' + time(session.disconnectedAtMillis) : '')],
  ['Expires after', session => session.expirySeconds === NEVER_SECONDS ? 'never' : count(session.expirySeconds) + ' s'],
  ['Ends', ends],
  ['Has a will', session => session.hasWill ? 'yes' : 'no'],
  ['Queued messages', session => count(session.queuedMessages)],
  ['Queued bytes', session => bytes(session.queuedBytes)],
  ['In flight', session => count(session.inFlight)],
  ['Subscriptions', session => count(session.subscriptions)]
]

function showOne(frame, id, tenant) {
  const target = canBeNamed(id) ? '/api/v1' + path('sessions', id) : null
  const heading = document.getElementById('title')
  fill(heading, 'Session ', el('bdi', {id: 'client-id'}, visible(id)))
  document.title = 'Session ' + visible(id, 60) + ' - Godwit'
  const values = FIELDS.map(() => el('dd'))
  const fields = el('dl', {class: 'fields', hidden: true}, FIELDS.map(([label], i) => [el('dt', {}, label), values[i]])
    .flat())
  const state = el('p', {id: 'session-state', role: 'status'})
  const purge = el('button', {type: 'button', id: 'purge', class: 'danger'}, 'Empty the queue')
  const end = el('button', {type: 'button', id: 'end', class: 'danger'}, 'End the session')
  const buttons = el('div', {class: 'buttons', hidden: true}, purge, end)
  frame.main.append(
    el('p', {class: 'links'}, el('a', {href: '#/sessions'}, 'All sessions'),
      target && el('a', {href: '#' + path('clients', id) + query({tenant})}, 'Its connection'),
      target && el('a', {href: '#/subscriptions' + query({by: 'client', text: id, tenant})}, 'Its subscriptions')),
    el('div', {class: 'card'}, state, fields,
      may(frame.me, 'operator') ? buttons : mayNot('To change a session', 'operator')))
  if (target === null) {
    say(state, CANNOT)
    return
  }
  // What was done stays to be read until something else is.
  let done = ''
  purge.addEventListener('click', () => ask(frame, purge, {title: 'Empty the queue of this session?', subject: id,
    text: 'All messages that were not sent to the client yet are dropped. What may have been sent at QoS 1 or 2 stays.',
    yes: 'Empty the queue'}, async () => {
    const gone = await send('DELETE', target + '/queue' + query({tenant}))
    done = 'Dropped ' + count(gone.messages) + (gone.messages === 1 ? ' message' : ' messages') + '; ' +
      count(gone.kept) + ' that may have been sent stay.'
  }))
  end.addEventListener('click', () => ask(frame, end, {title: 'End this session?', subject: id,
    text: 'Its queue and its subscriptions are deleted. Its connection is closed, and its will, if it is owed, is ' +
      'published.', yes: 'End the session'}, async () => {
    await send('DELETE', target + query({tenant}))
    done = 'Ended.'
  }))
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    try {
      const [answer, names] = await Promise.all([get(target + query({tenant})), nodeNames(frame.me)])
      if (frame.gone.aborted) {
        return
      }
      fields.hidden = false
      buttons.hidden = false
      FIELDS.forEach(([, write], i) => say(values[i], write(answer.item, names)))
      say(state, done !== '' && done !== 'Ended.' ? done
        : answer.item.connected ? 'Its client is connected.' : 'Its client is not connected.')
    } catch (e) {
      if (!(e instanceof Failed) || e.status !== 404) {
        throw e
      }
      fields.hidden = true
      buttons.hidden = true
      say(state, done === 'Ended.' ? done : 'There is no such session.')
    }
  }
}
