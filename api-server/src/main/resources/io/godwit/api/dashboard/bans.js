import {actionForm, ask, may, mayNot, rowButton, run} from './actions.js'
import {path, query, send} from './api.js'
import {el, say} from './dom.js'
import {time, until, visible} from './format.js'
import {choice, labelled, nodeName, searchForm, textField} from './names.js'
import {list} from './pager.js'

export const title = 'Bans'
export const isOfTenant = true

const KINDS = [['client', 'Client id'], ['user', 'User name'], ['address', 'Address or block']]

/** An operator, or the node that keeps the subject out by itself. */
function by(each, names) {
  return each.automatic ? 'node ' + nodeName(names, each.node) : visible(each.by, 60)
}

export function show(frame) {
  const asked = frame.where.query
  const mayBan = may(frame.me, 'operator')
  const ofTenant = Boolean(frame.me.tenant)
  // An address is of no tenant, so a token of one does not ban it.
  const kinds = KINDS.filter(([name]) => !ofTenant || name !== 'address')
  const shown = choice('shown', [['', 'all'], ...kinds], asked.get('only') ?? '')
  const made = choice('made', [['', 'all'], ['false', 'operators'], ['true', 'nodes by themselves']],
    asked.get('only-automatic') ?? '')
  const tenant = textField('tenant', asked.get('only-tenant'), {maxlength: '256'})
  const done = el('p', {id: 'done', role: 'status'})
  const lift = (button, each) => ask(frame, button, {title: 'Lift this ban?', subject: each.subject,
    text: each.automatic ? 'On all nodes that have it. Who met it may connect again.' : 'Who met it may connect again.',
    yes: 'Lift'}, async () => {
    await send('DELETE', '/api/v1' + path('bans', each.id))
    say(done, 'Lifted.')
  })
  const found = list(frame, {path: '/api/v1/bans', search: {kind: asked.get('only'),
    automatic: asked.get('only-automatic'), tenant: asked.get('only-tenant')},
    caption: 'Bans', one: 'ban', many: 'bans', isOfNodes: true, keyOf: each => each.id + ' ' + each.node,
    columns: [{title: 'Subject', kind: 'wide'}, {title: 'Kind'}, {title: 'Tenant', kind: 'wrap'}, {title: 'Until'},
      {title: 'Reason', kind: 'wrap'}, {title: 'By', kind: 'wrap'}, {title: 'Since'},
      ...mayBan ? [{title: 'Change'}] : []],
    cells: (each, names) => [el('bdi', {'data-mark': each.subject}, visible(each.subject, 120)),
      each.kind + (each.mountPoint ? ' below ' + visible(each.mountPoint, 60) : ''),
      visible(each.tenant || '–', 60), until(each.untilMillis), visible(each.reason || '–'), by(each, names),
      time(each.sinceMillis),
      ...mayBan ? [rowButton('Lift', each.subject, button => lift(button, each))] : []]})
  frame.main.append(searchForm(() => '#/bans' + query({only: shown.value,
    'only-automatic': made.value, 'only-tenant': tenant.value}), found.restart,
    labelled('shown', 'Kind', shown), labelled('made', 'Made by', made),
    !ofTenant && labelled('tenant', 'Tenant', tenant)), found.element, done)
  if (!mayBan) {
    frame.main.append(mayNot('To ban', 'operator'))
    return
  }
  const kind = choice('kind', kinds, asked.get('kind') ?? 'client')
  const subject = textField('subject', asked.get('subject'), {required: true, maxlength: '8192'})
  const minutes = el('input', {id: 'minutes', type: 'number', min: '1', max: '52560000'})
  const reason = textField('reason', '', {maxlength: '256'})
  const home = textField('ban-tenant', asked.get('tenant'), {maxlength: '64'})
  frame.main.append(el('section', {class: 'card'}, el('h2', {}, 'Ban'),
    el('p', {class: 'hint'}, 'Keeps clients out on all nodes, and disconnects those that are connected.'),
    actionForm('Ban', 'ban', button => run(frame, button, async () => {
      const body = {kind: kind.value, subject: subject.value, ...minutes.value !== '' && {seconds: 60 * minutes.value},
        ...reason.value !== '' && {reason: reason.value}}
      await send('POST', '/api/v1/bans' + query({tenant: kind.value === 'address' ? '' : home.value}), body)
      say(done, 'Banned: ' + visible(body.subject, 120))
      subject.value = ''
    }),
    labelled('kind', 'Kind', kind),
    labelled('subject', 'Subject', subject),
    labelled('minutes', 'Minutes, empty for no end', minutes),
    labelled('reason', 'Reason', reason),
    !ofTenant && labelled('ban-tenant', 'Tenant', home))))
}
