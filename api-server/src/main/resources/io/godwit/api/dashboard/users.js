import {actionForm, ask, may, mayNot, rowButton, run} from './actions.js'
import {Failed, get, path, send} from './api.js'
import {el, say} from './dom.js'
import {lines, time, visible} from './format.js'
import {choice, labelled, textField} from './names.js'
import {list} from './pager.js'

export const title = 'Users'
export const isOfTenant = false

const HASHES = [['bcrypt', 'bcrypt'], ['argon2', 'argon2'], ['scram', 'scram']]

export function show(frame) {
  const mayChange = may(frame.me, 'admin')
  const done = el('p', {id: 'done', role: 'status'})
  const remove = (button, each) => ask(frame, button, {title: 'Remove this user?', subject: each.name,
    text: 'No node lets it in any more. Clients that are connected stay; ban the user to have them go.',
    yes: 'Remove'}, async () => {
    await send('DELETE', '/api/v1' + path('users', each.name))
    say(done, 'Removed.')
  })
  const found = list(frame, {path: '/api/v1/users', search: {}, caption: 'Users', one: 'user', many: 'users',
    keyOf: each => each.source + ' ' + each.name,
    columns: [{title: 'Name', kind: 'wide'}, {title: 'Password kept as', kind: 'wrap'}, {title: 'By', kind: 'wrap'},
      {title: 'Since'}, {title: mayChange ? 'Change' : 'From'}],
    cells: each => [el('bdi', {'data-mark': each.name}, visible(each.name, 120)), visible(each.hash, 60),
      visible(each.by || '–', 60), each.sinceMillis > 0 ? time(each.sinceMillis) : '–',
      each.source === 'file' ? 'in the file of the node' : !mayChange ? 'on all nodes'
        : rowButton('Remove', each.name, button => remove(button, each))]})
  const rules = rulesOf(frame, mayChange, done)
  const parts = el('div', {}, found.element, done,
    mayChange ? userForm(frame, done) : mayNot('To change users and rules', 'admin'), rules.element)
  const none = el('p', {id: 'no-users', class: 'card', hidden: true},
    'There are no users here: the auth provider of this node is not file.')
  frame.main.append(none, parts)
  frame.refresh = async () => {
    try {
      await Promise.all([found.refresh(), rules.refresh()])
    } catch (e) {
      if (!(e instanceof Failed) || e.status !== 404) {
        throw e
      }
      none.hidden = false
      parts.hidden = true
    }
  }
}

function userForm(frame, done) {
  const name = textField('name', '', {required: true, maxlength: '256'})
  const password = el('input', {id: 'password', type: 'password', autocomplete: 'new-password', required: true,
    maxlength: '1024'})
  const hash = choice('hash', HASHES, 'bcrypt')
  return el('section', {class: 'card'}, el('h2', {}, 'Make a user, or set a password'),
    el('p', {class: 'hint'}, 'On all nodes. Clients that are connected stay.'),
    actionForm('Set', 'set-user', button => run(frame, button, async () => {
      const answer = await send('PUT', '/api/v1' + path('users', name.value), {password: password.value,
        hash: hash.value})
      say(done, visible(name.value, 120) + (answer.new ? ' is made.' : ' has another password.'))
      password.value = ''
    }),
    labelled('name', 'Name', name),
    labelled('password', 'Password', password),
    labelled('hash', 'Kept as', hash)))
}

function rulesOf(frame, mayChange, done) {
  const ofFile = el('pre', {id: 'rules-file', class: 'payload', tabindex: '0', role: 'region',
    'aria-label': 'Rules of the file'})
  const ofAll = mayChange ? el('textarea', {id: 'rules', rows: '8', spellcheck: 'false', autocomplete: 'off'})
    : el('pre', {id: 'rules', class: 'payload', tabindex: '0', role: 'region', 'aria-label': 'Rules of all nodes'})
  const by = el('p', {id: 'rules-by', class: 'hint'})
  // What all nodes have, as it was shown last.
  let known = {text: '', version: '0'}
  const shown = now => ({text: now.api.join('\n'), version: now.version})
  const refresh = async () => {
    const now = await get('/api/v1/rules')
    if (frame.gone.aborted) {
      return
    }
    say(ofFile, now.file.length === 0 ? 'None.' : lines(now.file.join('\n')))
    if (!mayChange) {
      say(ofAll, now.api.length === 0 ? 'None.' : lines(now.api.join('\n')))
    } else if (ofAll.value === known.text) {
      known = shown(now)
      ofAll.value = known.text
    }
    say(by, now.sinceMillis > 0 ? 'Set by ' + visible(now.by, 60) + ', ' + time(now.sinceMillis) + '.' : '')
  }
  const save = button => run(frame, button, async () => {
    const api = ofAll.value.split('\n').filter(each => each.trim() !== '')
    try {
      await send('PUT', '/api/v1/rules', {api}, known.version)
    } catch (e) {
      throw e.status !== 412 ? e
        : new Failed(0, 'Somebody else has set the rules meanwhile: keep your lines, and open the page again.')
    }
    known.text = ofAll.value
    say(done, 'The rules are in force on all nodes.')
  })
  return {refresh, element: el('section', {class: 'card'}, el('h2', {}, 'Rules'),
    el('p', {class: 'hint'}, 'Who may publish and subscribe, a rule in each line. The first that applies decides: ',
      'those of the file of the node, then those of all nodes.'),
    el('h3', {}, 'Of the file of the node'), ofFile,
    mayChange ? el('form', {class: 'message', id: 'rules-form', on: {submit: event => {
      event.preventDefault()
      save(event.submitter)
    }}}, labelled('rules', 'Of all nodes', ofAll), by, el('div', {}, el('button', {type: 'submit', id: 'set-rules'},
      'Set all rules'))) : [el('h3', {}, 'Of all nodes'), ofAll, by])}
}
