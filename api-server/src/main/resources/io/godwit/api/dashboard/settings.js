import {may, mayNot} from './actions.js'
import {get, path, send} from './api.js'
import {announce, el, table} from './dom.js'
import {visible} from './format.js'

export const title = 'Log levels'
export const isOfTenant = false

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'inherit']

export function show(frame) {
  const isAdmin = may(frame.me, 'admin')
  const levels = table('Log levels', [{title: 'Logger'}, {title: 'Level'}])
  const logger = el('input', {id: 'logger', type: 'text', value: 'io.godwit', maxlength: '256', required: true,
    autocomplete: 'off', spellcheck: 'false'})
  const level = el('select', {id: 'level'}, LEVELS.map(each =>
    el('option', {value: each, selected: each === 'info'}, each)))
  const done = el('p', {id: 'level-done', role: 'status'})
  const form = el('form', {class: 'search'},
    el('div', {}, el('label', {for: 'logger'}, 'Logger'), logger),
    el('div', {}, el('label', {for: 'level'}, 'Level'), level),
    el('button', {type: 'submit'}, 'Set'))
  const set = async (name, wanted) => {
    done.textContent = ''
    frame.fine()
    try {
      await send('PUT', '/api/v1' + path('log-levels', name), {level: wanted})
      await frame.now()
      done.textContent = visible(name, 256) + ': ' + wanted
      announce(done.textContent)
      return true
    } catch (e) {
      frame.failed(e)
      return false
    }
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    set(logger.value.trim(), level.value)
  })
  const choice = each => {
    if (!isAdmin) {
      return each.level
    }
    const made = el('select', {'aria-label': 'Level of ' + visible(each.logger, 256), 'data-mark': each.level,
      on: {change: async () => {
        if (!await set(each.logger, made.value)) {
          made.value = each.level
        }
      }}},
    LEVELS.map(name => el('option', {value: name, selected: name === each.level}, name)))
    return made
  }
  frame.main.append(
    el('section', {class: 'card'},
      el('p', {class: 'hint'}, 'Of the node that you ask, until it restarts. inherit takes the level of the logger ',
        'above.'),
      levels.element,
      isAdmin ? form : mayNot('To set a level', 'admin'),
      done),
    el('section', {class: 'card'},
      el('h2', {}, 'More'),
      el('p', {}, 'All other settings are in the configuration file of each node. ', may(frame.me, 'operator') &&
        el('a', {href: '#/configuration'}, 'The configuration in force'), may(frame.me, 'operator') && '. ',
        el('a', {href: '/api/v1/docs'}, 'Every request of the API'), ', which this page uses too.')))
  frame.refresh = async () => {
    const list = await get('/api/v1/log-levels')
    if (!frame.gone.aborted) {
      levels.rows(list.items, each => each.logger, each => [visible(each.logger, 256), choice(each)])
    }
  }
}
