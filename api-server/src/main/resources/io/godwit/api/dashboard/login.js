import {Failed, get, keepToken} from './api.js'
import {el, fill} from './dom.js'

/** The form that asks for a token; `then` is called with who it is of. */
export function login(main, why, then) {
  const field = el('input', {id: 'token', type: 'password', name: 'token', autocomplete: 'off', required: true,
    spellcheck: 'false', maxlength: '4096', 'aria-describedby': 'token-hint login-error'})
  const error = el('p', {id: 'login-error', class: 'error', role: 'alert'}, why)
  const button = el('button', {type: 'submit'}, 'Log in')
  const form = el('form', {class: 'login card'},
    el('h1', {tabindex: '-1'}, 'Log in'),
    el('label', {for: 'token'}, 'Token'),
    field,
    el('p', {id: 'token-hint', class: 'hint'}, 'bin/godwit-admin token add makes one. It stays in this tab until you ',
      'log out or close it.'),
    error,
    button)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    error.textContent = ''
    const text = field.value.trim()
    if (!/^[\x21-\x7e]+$/.test(text)) {
      error.textContent = 'That is no token.'
      field.focus()
      return
    }
    button.disabled = true
    keepToken(text)
    try {
      then(await get('/api/v1/me'))
    } catch (e) {
      keepToken('')
      error.textContent = e instanceof Failed && e.status === 401 ? 'The token is not valid.' : e.message
      field.focus()
    } finally {
      button.disabled = false
    }
  })
  fill(main, form)
  field.focus()
}
