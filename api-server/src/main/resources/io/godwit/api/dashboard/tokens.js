import {actionForm, ask, rowButton, run} from './actions.js'
import {path, send} from './api.js'
import {el, fill, say} from './dom.js'
import {time, until, visible} from './format.js'
import {choice, labelled, textField} from './names.js'
import {list} from './pager.js'

export const title = 'Tokens'
export const isOfTenant = false
export const needs = ['admin', 'To see tokens']

const ROLES = [['viewer', 'viewer'], ['operator', 'operator'], ['admin', 'admin']]
const DAY_SECONDS = 86_400

export function show(frame) {
  const done = el('p', {id: 'done', role: 'status'})
  const fresh = el('div', {id: 'fresh'})
  const remove = (button, each) => ask(frame, button, {title: 'Remove this token?', subject: each.name,
    text: 'No node accepts it any more.', yes: 'Remove'}, async () => {
    await send('DELETE', '/api/v1' + path('tokens', each.name))
    say(done, 'Removed.')
  })
  const found = list(frame, {path: '/api/v1/tokens', search: {}, caption: 'Tokens', one: 'token', many: 'tokens',
    keyOf: each => each.source + ' ' + each.name,
    columns: [{title: 'Name', kind: 'wrap'}, {title: 'Role'}, {title: 'Tenant', kind: 'wrap'},
      {title: 'Certificate of', kind: 'wrap'}, {title: 'Until'}, {title: 'By', kind: 'wrap'}, {title: 'Since'},
      {title: 'Change'}],
    cells: each => [visible(each.name), each.role, visible(each.tenant || 'all'),
      each.kind === 'certificate' ? visible(each.subject, 200) : '–', until(each.untilMillis),
      visible(each.by || '–', 60), each.sinceMillis > 0 ? time(each.sinceMillis) : '–',
      each.source === 'file' ? 'in the file of the node'
        : rowButton('Remove', each.name, button => remove(button, each))]})
  const name = textField('name', '', {required: true, maxlength: '64'})
  const role = choice('role', ROLES, 'viewer')
  const tenant = textField('tenant', '', {maxlength: '64'})
  const days = el('input', {id: 'days', type: 'number', min: '1', max: '36500'})
  const subject = textField('subject', '', {maxlength: '1024', placeholder: 'CN=ops,O=birds'})
  const add = button => run(frame, button, async () => {
    fill(fresh)
    const answer = await send('POST', '/api/v1/tokens', {name: name.value, role: role.value,
      ...tenant.value !== '' && {tenant: tenant.value}, ...subject.value !== '' && {subject: subject.value},
      ...days.value !== '' && {seconds: DAY_SECONDS * days.value}})
    say(done, 'Made: ' + visible(answer.item.name))
    if (answer.token) {
      showOnce(fresh, answer)
    }
    name.value = ''
    subject.value = ''
  })
  frame.main.append(found.element, fresh, done,
    el('section', {class: 'card'}, el('h2', {}, 'Make a token'),
      el('p', {class: 'hint'}, 'All nodes with a file of tokens accept it. With a subject it is no token but lets the ',
        'client certificate in that has this subject.'),
      actionForm('Make', 'make', add,
        labelled('name', 'Name', name),
        labelled('role', 'Role', role),
        labelled('tenant', 'Tenant, empty for all', tenant),
        labelled('days', 'Days, empty for no end', days),
        labelled('subject', 'Subject of a certificate', subject))))
}

/** Until it is put away or the page is left: the broker has its hash only. */
function showOnce(place, answer) {
  const field = el('input', {id: 'fresh-token', type: 'text', readonly: true, value: answer.token, spellcheck: 'false',
    autocomplete: 'off'})
  field.addEventListener('focus', () => field.select())
  fill(place, el('section', {class: 'card once'}, el('h2', {}, 'The new token of ', visible(answer.item.name)),
    el('p', {}, 'Copy it now: it is shown this once, and stored nowhere.'),
    labelled('fresh-token', 'Token', field),
    el('div', {class: 'buttons'}, el('button', {type: 'button', id: 'put-away', on: {click: () => fill(place)}},
      'I have it'))))
  field.focus()
}
