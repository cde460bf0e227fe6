// What changes something: who may do it, the question before it, and what became of it.
import {confirm, el} from './dom.js'
import {visible} from './format.js'

const RANKS = {viewer: 0, operator: 1, admin: 2}

export function may(me, role) {
  return RANKS[me.role] >= RANKS[role]
}

/**
 * Does something by a button, which rests meanwhile, and asks for the page again. Returns whether it was done; a
 * refusal is told until the next is done.
 */
export async function run(frame, button, act) {
  frame.fine()
  button.disabled = true
  let isDone = false
  try {
    await act()
    isDone = true
  } catch (e) {
    if (!frame.gone.aborted) {
      frame.failed(e)
    }
  } finally {
    button.disabled = false
  }
  await frame.now()
  if (!button.isConnected && !frame.gone.aborted) {
    document.getElementById('title')?.focus() // the button went with what it was about
  }
  return isDone
}

/** As `run`, after a question. `subject` is what it is about, in the words of whoever named it. */
export async function ask(frame, button, {title, subject, text, yes}, act) {
  const agreed = await confirm(title, [el('p', {class: 'id'}, el('bdi', {}, visible(subject))), el('p', {}, text)], yes,
    frame.gone)
  if (frame.gone.aborted) {
    return false
  }
  if (!agreed) {
    button.focus()
    return false
  }
  return await run(frame, button, act)
}

/** A button of one row of a list; `subject` tells the rows apart. */
export function rowButton(label, subject, click) {
  return el('button', {type: 'button', class: 'danger small', 'data-mark': subject,
    'aria-label': label + ' ' + visible(subject, 60), on: {click: event => click(event.currentTarget)}}, label)
}

/** For whoever may not. */
export function mayNot(what, role) {
  return el('p', {class: 'hint', id: 'may-not'}, what + ' needs the role ' + role + '.')
}

/** A form of a card: `submit` gets its button. */
export function actionForm(label, id, submit, ...fields) {
  const button = el('button', {type: 'submit', id}, label)
  const form = el('form', {class: 'search'}, ...fields, button)
  form.addEventListener('submit', event => {
    event.preventDefault()
    submit(button)
  })
  return form
}
