import {Failed, get, path, query, send} from './api.js'
import {announce, confirm, el, fill, say, table} from './dom.js'
import {count, time, visible} from './format.js'

export const title = 'Clients'
export const isOfTenant = true

const PAGE = 50
const SHOWN_ID = 120
const BY = [['clientIdPrefix', 'Client id begins with'], ['clientIdContains', 'Client id contains'],
  ['userName', 'User name is'], ['address', 'Address is']]
const PROTOCOLS = {3: '3.1', 4: '3.1.1', 5: '5.0'}
const CANNOT = 'This client id cannot be written in the path of a request.'

export function show(frame) {
  const id = frame.where.rest[0]
  if (id !== undefined && id !== '') {
    showOne(frame, id, frame.where.query.get('tenant') ?? '')
  } else {
    showList(frame)
  }
}

/** Addresses of nodes by their ids, for those who may see nodes; where they are not told, an id is shown. */
async function nodeNames(me) {
  if (me.tenant) {
    return new Map()
  }
  try {
    const nodes = await get('/api/v1/nodes' + query({fields: 'id,rpcAddress'}))
    return new Map(nodes.items.filter(node => node.rpcAddress !== '').map(node => [node.id, node.rpcAddress]))
  } catch (e) {
    return new Map()
  }
}

/** HTTP takes . and .. out of paths. */
function canBeNamed(id) {
  try {
    encodeURIComponent(id)
    return id !== '.' && id !== '..' && id !== ''
  } catch (e) {
    return false
  }
}

function link(client) {
  const mark = client.tenant + ' ' + client.clientId
  const text = el('bdi', {}, visible(client.clientId, SHOWN_ID))
  if (!canBeNamed(client.clientId)) {
    return el('span', {'data-mark': mark, title: CANNOT}, text)
  }
  return el('a', {href: '#' + path('clients', client.clientId) + query({tenant: client.tenant}), 'data-mark': mark},
    text)
}

function showList(frame) {
  const asked = frame.where.query
  const by = BY.some(([name]) => name === asked.get('by')) ? asked.get('by') : BY[0][0]
  const kind = el('select', {id: 'by'}, BY.map(([name, label]) =>
    el('option', {value: name, selected: name === by}, label)))
  const text = el('input', {id: 'text', type: 'search', value: asked.get('text') ?? '', maxlength: '1024',
    autocomplete: 'off', spellcheck: 'false'})
  const tenant = el('input', {id: 'tenant', type: 'text', value: asked.get('tenant') ?? '', maxlength: '256',
    autocomplete: 'off', spellcheck: 'false'})
  const form = el('form', {class: 'search card', role: 'search'},
    el('div', {}, el('label', {for: 'by'}, 'Search'), kind),
    el('div', {}, el('label', {for: 'text'}, 'Text'), text),
    !frame.me.tenant && el('div', {}, el('label', {for: 'tenant'}, 'Tenant'), tenant),
    el('button', {type: 'submit'}, 'Search'))
  form.addEventListener('submit', event => {
    event.preventDefault()
    const next = '#/clients' + query({by: text.value === '' ? '' : kind.value, text: text.value, tenant: tenant.value})
    if (next === location.hash) {
      before = []
      cursor = null
      frame.now()
    } else {
      location.hash = next
    }
  })
  const found = table('Clients', [{title: 'Client id', kind: 'wide'}, {title: 'Tenant', kind: 'wrap'},
    {title: 'User', kind: 'wrap'}, {title: 'Address', kind: 'wide'},
    {title: 'Node', kind: 'wide'}, {title: 'MQTT'}, {title: 'Connected'}, {title: 'Queued', kind: 'number'},
    {title: 'Subscriptions', kind: 'number'}])
  let before = []
  let cursor = null
  let next = null
  const go = (pages, to) => {
    before = pages
    cursor = to
    frame.now()
  }
  const back = el('button', {type: 'button', id: 'back', on: {click: () => go(before.slice(0, -1), before.at(-1))}},
    'Previous page')
  const on = el('button', {type: 'button', id: 'next', on: {click: () => go([...before, cursor], next)}}, 'Next page')
  const again = el('button', {type: 'button', id: 'again', on: {click: () => frame.now()}}, 'Refresh')
  const state = el('p', {id: 'found', class: 'hint'})
  frame.main.append(form, el('div', {class: 'card'}, state, found.element, el('div', {class: 'buttons'}, back, on,
    again)))
  frame.refresh = async () => {
    const search = {limit: PAGE, cursor, tenant: asked.get('tenant')}
    search[by] = asked.get('text')
    const [page, names] = await Promise.all([get('/api/v1/clients' + query(search)), nodeNames(frame.me)])
    if (frame.gone.aborted) {
      return
    }
    next = page.next ?? null
    found.rows(page.items, client => client.tenant + '\0' + client.clientId, client => [link(client),
      visible(client.tenant, 60), visible(client.userName, 60), address(client),
      visible(names.get(client.node) ?? client.node, 60),
      PROTOCOLS[client.protocolLevel] ?? client.protocolLevel,
      client.connected ? time(client.connectedAtMillis) : 'no', count(client.queuedMessages),
      count(client.subscriptions)])
    back.disabled = before.length === 0
    on.disabled = next === null
    const text = 'Page ' + (before.length + 1) + ', ' + count(page.items.length) +
      (page.items.length === 1 ? ' client' : ' clients') +
      (page.missingNodes.length ? '; no answer from ' + page.missingNodes.map(each => visible(each)).join(', ') +
        ', whose clients are missing' : '')
    say(state, text)
    announce(text)
  }
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
  const list = el('dl', {class: 'fields', hidden: true}, FIELDS.map(([label], i) => [el('dt', {}, label), values[i]])
    .flat())
  const state = el('p', {id: 'client-state', role: 'status'})
  const kick = el('button', {type: 'button', id: 'kick', class: 'danger', hidden: true}, 'Disconnect')
  const mayKick = frame.me.role !== 'viewer'
  frame.main.append(el('p', {}, el('a', {href: '#/clients'}, 'All clients')),
    el('div', {class: 'card'}, state, list,
      el('div', {class: 'buttons'}, mayKick ? kick
        : el('p', {class: 'hint', id: 'may-not'}, 'To disconnect a client needs the role operator.'))))
  if (target === null) {
    say(state, CANNOT)
    return
  }
  let ended = false
  kick.addEventListener('click', async () => {
    const yes = await confirm('Disconnect this client?', [
      el('p', {class: 'id'}, el('bdi', {}, visible(id))),
      el('p', {}, 'Its connection ends now. Its will is published and its session stays as its expiry says. ',
        'The client may connect again.')], 'Disconnect', frame.gone)
    if (!yes || frame.gone.aborted) {
      kick.focus()
      return
    }
    kick.disabled = true
    try {
      await send('DELETE', target)
      ended = true
      say(state, 'Disconnected.')
    } catch (e) {
      frame.failed(e)
    } finally {
      kick.disabled = false
    }
    await frame.now()
  })
  frame.everyMillis = 5_000
  frame.refresh = async () => {
    try {
      const answer = await get(target)
      if (frame.gone.aborted) {
        return
      }
      list.hidden = false
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
      list.hidden = true
      say(state, ended || state.textContent === 'Disconnected.' ? 'Disconnected.' : 'No such client is connected.')
    }
  }
}
