// Elements. Every value goes in as text or as an attribute that cannot run: there is no way to hand in HTML.

const ATTRIBUTES = new Set(['class', 'id', 'for', 'type', 'name', 'value', 'placeholder', 'autocomplete', 'role',
  'scope', 'colspan', 'tabindex', 'title', 'hidden', 'disabled', 'required', 'selected', 'open', 'maxlength',
  'spellcheck', 'href', 'width', 'height', 'autofocus', 'checked', 'min', 'max', 'rows', 'readonly'])

/** A file for a download. */
const KEPT_MILLIS = 60_000

/**
 * An element with attributes and children. A child is a node, a text or a number; null and false are left out.
 * `on` holds listeners by event. A href must begin with # or /.
 */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') {
      for (const [event, listener] of Object.entries(value)) {
        made.addEventListener(event, listener)
      }
    } else if (!ATTRIBUTES.has(key) && !key.startsWith('aria-') && !key.startsWith('data-')) {
      throw new Error('no attribute ' + key)
    } else if (key === 'href' && !/^(#|\/)/.test(value)) {
      throw new Error('no link to ' + value)
    } else if (value === true) {
      made.setAttribute(key, '')
    } else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, String(value))
    }
  }
  fill(made, ...children)
  return made
}

/** Replaces the children. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter(each => each !== null && each !== undefined && each !== false)
    .map(each => each instanceof Node ? each : document.createTextNode(String(each))))
  return parent
}

/** Sets a text when it differs, so that a selection or a reader is not disturbed. */
export function say(node, text) {
  const wanted = String(text)
  if (node.textContent !== wanted) {
    node.textContent = wanted
  }
}

/**
 * Makes the children of `parent` those of `items`, in their order, keeping the elements of keys that stay: focus and
 * scrolling outlive a refresh.
 */
export function keyed(parent, items, keyOf, create, update) {
  const known = parent.knownByKey ?? new Map()
  const next = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const node = known.get(key) ?? create(item)
    update(node, item)
    next.set(key, node)
  }
  for (const [key, node] of known) {
    if (next.get(key) !== node) {
      node.remove()
    }
  }
  let place = parent.firstChild
  for (const node of next.values()) {
    if (node === place) {
      place = place.nextSibling
    } else {
      parent.insertBefore(node, place)
    }
  }
  parent.knownByKey = next
}

/** Tells screen readers. */
export function announce(text) {
  document.getElementById('said').textContent = text
}

/** Has the browser keep a text as a file. */
export function download(name, text) {
  const link = el('a')
  link.href = URL.createObjectURL(new Blob([text], {type: 'text/plain;charset=utf-8'}))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MILLIS) // once the browser has read it
}

/**
 * A table whose cells are told their heading, for narrow screens. `columns` are {title, kind}: kind is number, or wrap
 * or wide for texts that may break anywhere, as those of the first column do. Rows are set by
 * `rows(items, keyOf, cells)`, where cells(item) is a text or a node for each column.
 */
export function table(caption, columns) {
  const body = el('tbody')
  const empty = el('p', {class: 'empty', hidden: true}, 'None.')
  const made = el('div', {class: 'table', tabindex: '0', role: 'region', 'aria-label': caption},
    el('table', {},
      el('caption', {class: 'unseen'}, caption),
      el('thead', {}, el('tr', {}, columns.map(column =>
        el('th', {scope: 'col', class: column.kind}, column.title)))),
      body),
    empty)
  const create = () => el('tr', {}, columns.map((column, i) => i === 0
    ? el('th', {scope: 'row', class: column.kind, 'data-title': column.title})
    : el('td', {class: column.kind, 'data-title': column.title})))
  const rows = (items, keyOf, cells) => {
    keyed(body, items, keyOf, create, (row, item) => {
      cells(item).forEach((value, i) => {
        const cell = row.children[i]
        if (value instanceof Node) {
          // a node with the same text and a mark of its own stays: it may have the focus
          if (!cell.firstElementChild || cell.firstElementChild.dataset.mark !== value.dataset.mark ||
              value.dataset.mark === undefined) {
            cell.replaceChildren(value)
          }
        } else {
          say(cell, value ?? '')
        }
      })
    })
    empty.hidden = items.length > 0
  }
  return {element: made, rows}
}

/** A question in a window of its own; true when it is answered yes. Escape is no, and so is leaving the page. */
export function confirm(title, parts, yes, gone) {
  return new Promise(answered => {
    const close = value => {
      gone.removeEventListener('abort', no)
      dialog.close()
      dialog.remove()
      answered(value)
    }
    const no = () => close(false)
    gone.addEventListener('abort', no)
    const dialog = el('dialog', {'aria-labelledby': 'dialog-title'},
      el('h2', {id: 'dialog-title'}, title),
      parts,
      el('div', {class: 'buttons'},
        el('button', {type: 'button', id: 'dialog-no', on: {click: no}}, 'Cancel'),
        el('button', {type: 'button', id: 'dialog-yes', class: 'danger', on: {click: () => close(true)}}, yes)))
    dialog.addEventListener('cancel', event => {
      event.preventDefault()
      no()
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}
