import {ask, may, rowButton} from './actions.js'
import {path, query, send} from './api.js'
import {el, say} from './dom.js'
import {bytes, count, time, visible} from './format.js'
import {labelled, linkTo, searchForm, textField} from './names.js'
import {list} from './pager.js'

export const title = 'Delayed'
export const isOfTenant = true

export function show(frame) {
  const asked = frame.where.query
  const home = asked.get('tenant') ?? ''
  const wanted = asked.get('filter') ?? ''
  const filter = textField('filter', wanted)
  const tenant = textField('tenant', home, {maxlength: '64'})
  const mayDiscard = may(frame.me, 'operator')
  const done = el('p', {id: 'done', role: 'status'})
  const discard = (button, each) => ask(frame, button, {title: 'Discard this message?', subject: each.topic,
    text: 'It is not published when its time has come.', yes: 'Discard'}, async () => {
    await send('DELETE', '/api/v1' + path('delayed', each.id) + query({tenant: home}))
    say(done, 'Discarded 1 message.')
  })
  const discardAll = button => ask(frame, button, {title: 'Discard all messages that wait for these topics?',
    subject: wanted, text: 'They are not published when their time has come. Those on other pages too.',
    yes: 'Discard all'}, async () => {
    let messages = 0
    let cursor = null
    do {
      const part = await send('DELETE', '/api/v1/delayed' + query({filter: wanted, tenant: home, limit: 1_000,
        cursor}))
      messages += part.messages
      cursor = part.next ?? null
    } while (cursor !== null && !frame.gone.aborted)
    say(done, 'Discarded ' + count(messages) + (messages === 1 ? ' message.' : ' messages.'))
  })
  const found = list(frame, {path: '/api/v1/delayed', search: {filter: wanted, tenant: home},
    caption: 'Messages that wait', one: 'message', many: 'messages', keyOf: each => each.id,
    columns: [{title: 'Topic', kind: 'wide'}, {title: 'Publisher', kind: 'wide'}, {title: 'QoS', kind: 'number'},
      {title: 'Payload', kind: 'number'}, {title: 'Due'}, ...mayDiscard ? [{title: 'Change'}] : []],
    cells: each => [el('bdi', {'data-mark': each.topic}, visible(each.topic, 300)),
      linkTo('clients', home || frame.me.tenant || 'default', each.clientId), each.qos, bytes(each.payloadBytes),
      time(each.dueAtMillis),
      ...mayDiscard ? [rowButton('Discard', each.topic, button => discard(button, each))] : []],
    rest: mayDiscard && wanted !== '' && el('button', {type: 'button', id: 'discard-all', class: 'danger',
      on: {click: event => discardAll(event.currentTarget)}}, 'Discard all that match')})
  frame.main.append(searchForm(() => '#/delayed' + query({filter: filter.value, tenant: tenant.value}), found.restart,
    labelled('filter', 'Topic filter', filter),
    !frame.me.tenant && labelled('tenant', 'Tenant', tenant)), done, found.element)
}
