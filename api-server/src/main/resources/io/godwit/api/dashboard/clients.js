import {ask, may, mayNot} from './actions.js'
import {Failed, get, path, query, send} from './api.js'
import {el, fill, say} from './dom.js'
import {count, time, visible} from './format.js'
import {CANNOT, PROTOCOLS, canBeNamed, choice, labelled, linkTo, nodeName, searchForm, textField} from
  './names.js'
import {list} from './pager.js'

export const title = 'Clients'
export const isOfTenant = true

const BY = [['clientIdPrefix', 'Client id begins with'], ['clientIdContains', 'Client id contains'],
  ['userName', 'User name is'], ['address', 'Address is']]

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
  const found = list(frame, {path: '/api/v1/clients', search: {tenant: asked.get('tenant'), [by]: asked.get('text')},
    caption: 'Clients', one: 'client', many: 'clients', isOfNodes: true,
    keyOf: client => client.tenant + '\0' + client.clientId,
    columns: [{title: 'Client id', kind: 'wide'}, {title: 'Tenant', kind: 'wrap'}, {title: 'User', kind: 'wrap'},
      {title: 'Address', kind: 'wide'}, {title: 'Node', kind: 'wide'}, {title: 'MQTT'}, {title: 'Connected'},
      {title: 'Queued', kind: 'number'}, {title: 'Subscriptions', kind: 'number'}],
    cells: (client, names) => [
      linkTo('clients', client.tenant, client.clientId),
      visible(client.tenant, 60), visible(client.userName, 60), address(client),
      nodeName(names, client.node),
      PROTOCOLS[client.protocolLevel] ?? client.protocolLevel,
      client.connected ? time(client.connectedAtMillis) : 'no', count(client.queuedMessages),
      count(client.subscriptions)]})
  frame.main.append(searchForm(() => '#/clients' + query({by: text.value === '' ? '' : kind.value, text: text.value,
    tenant: tenant.value}), found.restart,
  labelled('by', 'Search', kind),
  labelled('text', 'Text', text),
  !frame.me.tenant && labelled('tenant', 'Tenant', tenant)), found.element)
}

function address(client) {
  return client.address === '' ? '–' : client.address.includes(':')
    ? '[' + client.address + ']:' + client.port : client.address + ':' + client.port
}

const FIELDS = [
  ['Tenant', client => visible(client.tenant)],
  ['User name', client => visible(client.userName)],
  ['Address', address],
  ['Node', client => visible(client.node)],
  ['Listener', client => visible(client.listener)],
  ['MQTT', client => PROTOCOLS[client.protocolLevel] ?? client.protocolLevel],
  ['Connected', client => client.connected ? 'since ' + time(client.connectedAtMillis) : 'no'],
  ['Clean start', client => client.cleanStart ? 'yes' : 'no'],
  ['Session expiry', client => client.sessionExpirySeconds === 4294967295 ? 'never'
    : count(client.sessionExpirySeconds) + ' s'],
  ['Keep alive', client => count(client.keepAliveSeconds) + ' s'],
  ['Queued messages', client => count(client.queuedMessages)],
  ['In flight to the client', client => count(client.inFlightOut)],
  ['In flight from the client', client => count(client.inFlightIn)],
  ['Subscriptions', client => count(client.subscriptions)]
]

function showOne(frame, id, tenant) {
  const target = canBeNamed(id) ? '/api/v1' + path('clients', id) + query({tenant}) : null
  const heading = document.getElementById('title')
  fill(heading, 'Client ', el('bdi', {id: 'client-id'}, visible(id)))
  document.title = 'Client ' + visible(id, 60) + ' - Godwit'
  const values = FIELDS.map(() => el('dd'))
  const fields = el('dl', {class: 'fields', hidden: true}, FIELDS.map(([label], i) => [el('dt', {}, label), values[i]])
    .flat())
  const state = el('p', {id: 'client-state', role: 'status'})
  const kick = el('button', {type: 'button', id: 'kick', class: 'danger', hidden: true}, 'Disconnect')
  frame.main.append(
    el('p', {class: 'links'}, el('a', {href: '#/clients'}, 'All clients'),
      target && el('a', {href: '#' + path('sessions', id) + query({tenant})}, 'Its session'),
      target && el('a', {href: '#/subscriptions' + query({by: 'client', text: id, tenant})}, 'Its subscriptions'),
      may(frame.me, 'operator') && el('a', {href: '#/trace' + query({clientId: id, tenant})}, 'Trace it'),
      may(frame.me, 'operator') && el('a', {href: '#/bans' + query({kind: 'client', subject: id, tenant})}, 'Ban it')),
    el('div', {class: 'card'}, state, fields,
      el('div', {class: 'buttons'}, may(frame.me, 'operator') ? kick : mayNot('To disconnect a client', 'operator'))))
  if (target === null) {
    say(state, CANNOT)
    return
  }
  let ended = false
  kick.addEventListener('click', () => ask(frame, kick, {title: 'Disconnect this client?', subject: id,
    text: 'Its connection ends now. Its will is published and its session stays as its expiry says. The client may ' +
      'connect again.', yes: 'Disconnect'}, async () => {
    await send('DELETE', target)
    ended = true
    say(state, 'Disconnected.')
  }))
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    try {
      const answer = await get(target)
      if (frame.gone.aborted) {
        return
      }
      fields.hidden = false
      FIELDS.forEach(([, write], i) => say(values[i], write(answer.item)))
      kick.hidden = !answer.item.connected
      if (answer.item.connected && !ended || state.textContent !== 'Disconnected.') {
        say(state, answer.item.connected ? 'Connected.' : 'Not connected.')
      }
      ended = false
    } catch (e) {
      if (!(e instanceof Failed) || e.status !== 404) {
        throw e
      }
      kick.hidden = true
      fields.hidden = true
      say(state, ended || state.textContent === 'Disconnected.' ? 'Disconnected.' : 'No such client is connected.')
    }
  }
}
