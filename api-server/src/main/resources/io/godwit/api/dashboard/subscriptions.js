import {Failed, path, query} from './api.js'
import {el, say} from './dom.js'
import {visible} from './format.js'
import {CANNOT, canBeNamed, choice, labelled, searchForm, textField} from './names.js'
import {list} from './pager.js'
import {receivers} from './receivers.js'

export const title = 'Subscriptions'
export const isOfTenant = true

const PAGE = 100
const BY = [['topic', 'Who would get the topic'], ['filter', 'Who has the filter'], ['client', 'What the client has']]

export function show(frame) {
  const asked = frame.where.query
  const by = BY.some(([name]) => name === asked.get('by')) ? asked.get('by') : BY[0][0]
  const kind = choice('by', BY, by)
  const text = textField('text', asked.get('text'), {type: 'search', required: true, 'aria-describedby': 'hint'})
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '256'})
  let again = () => {}
  const form = searchForm(() => '#/subscriptions' + query({by: kind.value, text: text.value, tenant: tenant.value}),
    () => again(),
    labelled('by', 'Search', kind),
    labelled('text', 'Topic, filter or client id', text),
    !frame.me.tenant && labelled('tenant', 'Tenant', tenant))
  frame.main.append(form, el('p', {class: 'hint', id: 'hint'}, 'Topics and filters stand as the broker matches them: ',
    'behind rewriting rules and mount points. Without a tenant it is ', frame.me.tenant ? 'yours.' : 'default.'))
  const wanted = asked.get('text') ?? ''
  if (wanted === '') {
    return
  }
  if (by === 'client') {
    again = ofClient(frame, wanted, asked.get('tenant'))
  } else {
    again = receivers(frame, by === 'topic' ? '/api/v1/subscriptions/matching' : '/api/v1/subscriptions',
      {[by]: wanted, tenant: asked.get('tenant')}, 'receiver', 'receivers')
  }
}

/** Those of one client, page by page. */
function ofClient(frame, id, tenant) {
  const state = el('p', {class: 'error', role: 'alert'})
  if (!canBeNamed(id)) {
    frame.main.append(el('div', {class: 'card'}, state))
    say(state, CANNOT)
    return () => {}
  }
  const found = list(frame, {path: '/api/v1' + path('clients', id, 'subscriptions'), search: {tenant}, limit: PAGE,
    caption: 'Subscriptions', one: 'subscription', many: 'subscriptions', keyOf: each => each.filter,
    columns: [{title: 'Filter', kind: 'wide'}, {title: 'QoS', kind: 'number'}, {title: 'No local'},
      {title: 'Retain as published'}, {title: 'Identifier', kind: 'number'}],
    cells: each => [el('bdi', {'data-mark': each.filter}, visible(each.filter)), each.qos, each.noLocal ? 'yes' : 'no',
      each.retainAsPublished ? 'yes' : 'no', each.subscriptionId === 0 ? '–' : each.subscriptionId]})
  const shown = [...found.element.childNodes]
  found.element.prepend(state)
  frame.main.append(found.element)
  frame.refresh = async () => {
    try {
      await found.refresh()
      found.element.replaceChildren(state, ...shown)
      say(state, '')
    } catch (e) {
      if (!(e instanceof Failed) || e.status !== 404) {
        throw e
      }
      found.element.replaceChildren(state)
      say(state, 'There is no such client or session.')
    }
  }
  return found.restart
}
