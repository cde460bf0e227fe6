// Lists of the API, page by page, and back.
import {get, query} from './api.js'
import {announce, el, say, table} from './dom.js'
import {count} from './format.js'
import {lack, nodeNames} from './names.js'

const PAGE = 50

/**
 * Buttons and a line about the page that is shown. `frame.refresh` asks for the page at `cursor()` and tells `got`
 * what came.
 */
function pager(frame) {
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
  return {
    state,
    buttons: [back, on, again],
    cursor: () => cursor,
    restart: () => go([], null),
    /** `one` and `many` name the items. */
    got: (page, one, many) => {
      next = page.next ?? null
      back.disabled = before.length === 0
      on.disabled = next === null
      const text = 'Page ' + (before.length + 1) + ', ' + count(page.items.length) + ' ' +
        (page.items.length === 1 ? one : many) + lack(page.missingNodes, many)
      say(state, text)
      announce(text)
    }
  }
}

/**
 * A list at `path` with the parameters `search`, {caption, columns, one, many}: `keyOf` an item and the `cells` of it,
 * which get the names of nodes when `isOfNodes`. `rest` is one more button. `element` is for the page, `restart` goes
 * to the first page. `frame.refresh` asks for the page that is shown.
 */
export function list(frame, {path, search, caption, columns, one, many, keyOf, cells, isOfNodes, limit, rest}) {
  const pages = pager(frame)
  const found = table(caption, columns)
  const refresh = async () => {
    const cursor = pages.cursor()
    const [page, names] = await Promise.all([
      get(path + query({limit: limit ?? PAGE, cursor, ...search})),
      isOfNodes ? nodeNames(frame.me) : null])
    if (!frame.gone.aborted && cursor === pages.cursor()) { // else another page is wanted by now, and asked for
      found.rows(page.items, keyOf, each => cells(each, names))
      pages.got(page, one, many)
    }
  }
  frame.refresh = refresh
  return {refresh, restart: pages.restart,
    element: el('div', {class: 'card'}, pages.state, found.element,
      el('div', {class: 'buttons'}, pages.buttons, rest))}
}
