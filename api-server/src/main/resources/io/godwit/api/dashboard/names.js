// What nodes, clients and topics are called on the pages.
import {get, path, query} from './api.js'
import {el} from './dom.js'
import {visible} from './format.js'

const SHOWN = 120

export const CANNOT = 'This name cannot be written in the path of a request.'
export const PROTOCOLS = {3: '3.1', 4: '3.1.1', 5: '5.0'}

/** Addresses of nodes by their ids, for those who may see nodes; where they are not told, an id is shown. */
export async function nodeNames(me) {
  if (me.tenant) {
    return new Map()
  }
  try {
    return addresses((await get('/api/v1/nodes' + query({fields: 'id,rpcAddress'}))).items)
  } catch (e) {
    return new Map()
  }
}

/** Of nodes that tell one, by their ids. */
export function addresses(nodes) {
  return new Map(nodes.filter(node => node.rpcAddress !== '').map(node => [node.id, node.rpcAddress]))
}

const LETTERS = 8

/** One of `names`; of a node that has none the first letters of its id, as commands take them. */
export function nodeName(names, id) {
  return visible(names.get(id) ?? id.slice(0, LETTERS), 60)
}

/** HTTP takes . and .. out of paths. */
export function canBeNamed(name) {
  try {
    encodeURIComponent(name)
    return name !== '.' && name !== '..' && name !== ''
  } catch (e) {
    return false
  }
}

/** A link to the page of one client, session or topic; its name alone where there can be no link. */
export function linkTo(page, tenant, name) {
  const mark = tenant + ' ' + name
  const text = el('bdi', {}, visible(name, SHOWN))
  if (!canBeNamed(name)) {
    return el('span', {'data-mark': mark, title: CANNOT}, text)
  }
  return el('a', {href: '#' + path(page, name) + query({tenant}), 'data-mark': mark}, text)
}

/** For the end of a sentence about a list; empty when all nodes have answered. */
export function lack(missingNodes, what) {
  return missingNodes?.length
    ? '; no answer from ' + missingNodes.map(each => visible(each)).join(', ') + ', whose ' + what + ' are missing' : ''
}

/** A field of a form with its label. */
export function labelled(id, label, field) {
  return el('div', {}, el('label', {for: id}, label), field)
}

/** A line of text to type. */
export function textField(id, value, attributes = {}) {
  return el('input', {id, type: 'text', value: value ?? '', maxlength: '65535', autocomplete: 'off',
    spellcheck: 'false', ...attributes})
}

/** A choice of [value, label]. */
export function choice(id, options, chosen) {
  return el('select', {id}, options.map(([value, label]) => el('option', {value, selected: value === chosen}, label)))
}

/**
 * A form that searches: it changes the address of the page to what `wanted` tells, or calls `again` when it is that
 * already.
 */
export function searchForm(wanted, again, ...fields) {
  return addressForm('Search', wanted, again, ...fields)
}

/** As `searchForm`, with another label of its button. */
export function addressForm(label, wanted, again, ...fields) {
  const form = el('form', {class: 'search card', role: 'search'}, ...fields,
    el('button', {type: 'submit'}, label))
  form.addEventListener('submit', event => {
    event.preventDefault()
    const next = wanted()
    if (next === location.hash) {
      again()
    } else {
      location.hash = next
    }
  })
  return form
}
