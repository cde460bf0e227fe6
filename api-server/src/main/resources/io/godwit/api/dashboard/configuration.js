import {get} from './api.js'
import {announce, el, say, table} from './dom.js'
import {count, visible} from './format.js'
import {labelled, lack, nodeName, nodeNames, textField} from './names.js'

export const title = 'Configuration'
export const isOfTenant = false
export const needs = ['operator', 'To see the configuration']

const NAMED = 4

/** One row for each value that a key has, with the nodes that have it. */
function variants(answer) {
  const differing = new Set(answer.differences.map(each => each.key))
  const rows = new Map()
  for (const {node, settings} of answer.items) {
    for (const setting of settings) {
      const id = JSON.stringify([setting.key, setting.value, setting.source, setting.origin])
      if (!rows.has(id)) {
        rows.set(id, {...setting, id, nodes: [], isDifferent: differing.has(setting.key)})
      }
      rows.get(id).nodes.push(node)
    }
  }
  return [...rows.values()].sort((one, other) => one.key < other.key ? -1 : one.key > other.key ? 1 : 0)
}

export function show(frame) {
  const text = textField('text', '', {type: 'search', maxlength: '256'})
  const given = el('input', {id: 'given', type: 'checkbox', checked: true})
  const different = el('input', {id: 'different', type: 'checkbox'})
  const state = el('p', {id: 'found', class: 'hint'})
  const found = table('Configuration', [{title: 'Key', kind: 'wide'}, {title: 'Value', kind: 'wide'}, {title: 'From',
    kind: 'wrap'}, {title: 'A change applies'}, {title: 'Nodes', kind: 'wide'}])
  const again = el('button', {type: 'button', id: 'again', on: {click: () => frame.now()}}, 'Refresh')
  let answer = {items: [], differences: [], missingNodes: []}
  let names = new Map()
  const nodesOf = row => row.nodes.length === answer.items.length ? row.nodes.length === 1 ? nameOf(row.nodes[0])
    : 'all ' + count(row.nodes.length) : row.nodes.slice(0, NAMED).map(nameOf).join(', ') +
      (row.nodes.length > NAMED ? ' and ' + count(row.nodes.length - NAMED) + ' more' : '')
  const nameOf = id => nodeName(names, id)
  const draw = () => {
    const wanted = text.value.toLowerCase()
    const rows = variants(answer)
      .filter(row => !given.checked || row.source !== 'default')
      .filter(row => !different.checked || row.isDifferent)
      .filter(row => [row.key, row.value, row.origin].some(each => each.toLowerCase().includes(wanted)))
    found.rows(rows, row => row.id, row => [visible(row.key), visible(row.value, 1_000),
      row.source + (row.origin === '' ? '' : ', ' + visible(row.origin, 200)),
      row.reloads ? 'at once' : 'at a restart', nodesOf(row)])
    const line = count(rows.length) + (rows.length === 1 ? ' value' : ' values') + '; ' +
      (answer.differences.length === 0 ? 'no node differs' : 'nodes differ in ' + count(answer.differences.length) +
        (answer.differences.length === 1 ? ' key' : ' keys')) + lack(answer.missingNodes, 'values')
    say(state, line)
    announce(line)
  }
  const form = el('form', {class: 'search card', role: 'search', on: {input: draw, submit: event =>
    event.preventDefault()}},
  labelled('text', 'Key, value or origin contains', text),
  el('div', {class: 'tick'}, given, el('label', {for: 'given'}, 'Only what is set, no defaults')),
  el('div', {class: 'tick'}, different, el('label', {for: 'different'}, 'Only where nodes differ')))
  frame.main.append(form, el('div', {class: 'card'}, state, found.element, el('div', {class: 'buttons'}, again)),
    el('p', {class: 'hint'}, 'Passwords and other secrets are masked. The configuration is changed in the file of ',
      'each node.'))
  frame.refresh = async () => {
    [answer, names] = await Promise.all([get('/api/v1/configuration'), nodeNames(frame.me)])
    if (!frame.gone.aborted) {
      draw()
    }
  }
}
