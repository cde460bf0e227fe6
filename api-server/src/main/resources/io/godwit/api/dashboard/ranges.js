import {get, query} from './api.js'
import {announce, el, fill, keyed, say, table} from './dom.js'
import {bytes, count, rate, visible} from './format.js'
import {addresses, nodeName} from './names.js'

export const title = 'Key space'
export const isOfTenant = false

const PAGE = 1_000
const MAX_RANGES = 3_000
const NEW_MILLIS = 15_000
const MAX_NEWS = 50
const COLOURS = 8
const FIELDS = ['store', 'id', 'epoch', 'start', 'end', 'startHex', 'leader', 'voters', 'learners', 'sizeBytes',
  'operationsPerSecond', 'peakOperationsPerSecond', 'change', 'faults'].join(',')
const WIDTHS = [['equal', 'all the same', () => 1], ['size', 'its size', range => Math.max(1, range.sizeBytes)],
  ['load', 'its load', range => Math.max(0.01, range.operationsPerSecond)]]

function keyText(key, ifEmpty) {
  return key === '' ? ifEmpty : visible(key, 60)
}

function keyOf(range) {
  return range.store + ' ' + range.id
}

function described(range, nodes) {
  return 'Range ' + range.id + ', from ' + keyText(range.start, 'the beginning') + ' to ' +
    keyText(range.end, 'the end') + ', ' + (range.leader === '' ? 'no leader' : 'leader ' + nodes.name(range.leader)) +
    ', voters ' + range.voters.map(nodes.name).join(' ') + ', ' + bytes(range.sizeBytes) + ', ' +
    rate(range.operationsPerSecond) + ' operations a second' + (range.change ? ', ' + visible(range.change) : '') +
    (range.faults.length ? ', faults' : '')
}

/** What has changed from one look to the next, in words. */
function news(old, ranges, nodes) {
  const told = []
  const now = new Map(ranges.map(range => [keyOf(range), range]))
  for (const range of ranges) {
    const known = old.get(keyOf(range))
    if (!known) {
      const from = [...old.values()].find(each => each.store === range.store && each.startHex <= range.startHex &&
        now.has(keyOf(each)) && each.end !== now.get(keyOf(each)).end && now.get(keyOf(each)).end === range.start)
      told.push(from ? range.store + ': range ' + from.id + ' was split at ' + keyText(range.start, 'the beginning') +
        ', range ' + range.id + ' is new' : range.store + ': range ' + range.id + ' is new')
    } else if (known.leader !== range.leader) {
      told.push(range.store + ': range ' + range.id + ' is led by ' +
        (range.leader === '' ? 'nobody' : nodes.name(range.leader)))
    }
  }
  for (const [key, range] of old) {
    if (!now.has(key)) {
      told.push(range.store + ': range ' + range.id + ' was merged into another')
    }
  }
  return told
}

async function all() {
  const items = []
  let cursor = null
  do {
    const page = await get('/api/v1/ranges' + query({limit: PAGE, cursor, fields: FIELDS}))
    items.push(...page.items)
    cursor = page.next ?? null
  } while (cursor !== null && items.length < MAX_RANGES)
  return {items, isAll: cursor === null}
}

export function show(frame) {
  const width = el('select', {id: 'width', on: {change: () => draw()}}, WIDTHS.map(([name, label]) =>
    el('option', {value: name}, label)))
  const leaders = el('ul', {class: 'legend', id: 'leaders'})
  const stores = el('div')
  const log = el('ul', {id: 'news', class: 'news'})
  const nothing = el('p', {class: 'empty'}, 'None yet.')
  const cut = el('p', {class: 'error'})
  frame.main.append(
    el('div', {class: 'card'},
      el('p', {class: 'hint'}, 'Each bar is a range of keys, in the order of keys from the first to the last; a long ',
        'row goes on in the next line. Its colour is its leader. What is filled from below is its load, of the ',
        'busiest range of the store.'),
      el('p', {}, el('label', {for: 'width'}, 'The width of a bar is '), width),
      leaders, cut),
    stores,
    el('section', {class: 'card'}, el('h2', {}, 'What changed since you came here'), log, nothing))
  let known = null
  let latest = []
  let nodeList = []
  let names = new Map()
  let selected = ''
  const bornAt = new Map()
  const nodes = {
    name: id => nodeName(names, id),
    colour: id => id === '' ? 0 : nodeList.findIndex(each => each.id === id) % COLOURS + 1
  }

  const section = (name, ranges) => {
    const bars = el('ol', {class: 'bars', 'aria-label': 'Ranges of ' + name})
    const rows = table('Ranges of ' + name, [{title: 'Range'}, {title: 'From', kind: 'wrap'},
        {title: 'To', kind: 'wrap'}, {title: 'Leader'},
      {title: 'Voters', kind: 'wrap'}, {title: 'Size', kind: 'number'}, {title: 'Operations/s', kind: 'number'},
      {title: 'Peak', kind: 'number'}, {title: 'Under way', kind: 'wrap'}])
    const made = el('section', {class: 'card', id: 'store-' + name}, el('h2'), bars,
      el('details', {open: true}, el('summary', {}, 'As a table'), rows.element))
    made.parts = {bars, rows}
    return made
  }

  const select = key => {
    selected = selected === key ? '' : key
    draw()
  }

  const bar = range => el('li', {},
    el('button', {type: 'button', class: 'bar', on: {click: () => select(keyOf(range))}},
      el('span', {class: 'load', 'aria-hidden': 'true'}), el('span', {class: 'bar-id'}),
      el('span', {class: 'bar-leader'})))

  const draw = () => {
    const weight = WIDTHS.find(([name]) => name === width.value)[2]
    const now = performance.now()
    const byStore = new Map()
    for (const range of latest) {
      byStore.set(range.store, [...byStore.get(range.store) ?? [], range])
    }
    const used = [...new Set(latest.map(range => range.leader))].sort()
    keyed(leaders, used, id => id,
      () => el('li', {}, el('span', {class: 'swatch', 'aria-hidden': 'true'}), el('span')),
      (item, id) => {
        item.firstElementChild.className = 'swatch leader-' + nodes.colour(id)
        say(item.lastElementChild, id === '' ? 'no leader' : nodes.name(id))
      })
    keyed(stores, [...byStore], ([name]) => name, ([name]) => section(name), (made, [name, ranges]) => {
      say(made.firstElementChild, name + ': ' + count(ranges.length) + (ranges.length === 1 ? ' range' : ' ranges'))
      const sum = ranges.reduce((all, range) => all + weight(range), 0)
      const busiest = Math.max(...ranges.map(range => range.operationsPerSecond))
      keyed(made.parts.bars, ranges, keyOf, bar, (item, range) => {
        const button = item.firstElementChild
        item.style.flexGrow = String(weight(range) / sum)
        button.className = 'bar leader-' + nodes.colour(range.leader) +
          (now - (bornAt.get(keyOf(range)) ?? -NEW_MILLIS) < NEW_MILLIS ? ' new' : '') +
          (range.faults.length ? ' faulty' : '')
        button.setAttribute('aria-pressed', String(selected === keyOf(range)))
        const text = described(range, nodes)
        if (button.getAttribute('aria-label') !== text) {
          button.setAttribute('aria-label', text)
          button.title = text
        }
        button.children[0].style.height = busiest > 0 ? 100 * range.operationsPerSecond / busiest + '%' : '0'
        say(button.children[1], range.id)
        say(button.children[2], range.leader === '' ? 'no leader' : nodes.name(range.leader))
      })
      made.parts.rows.rows(ranges, keyOf, range => [range.id, keyText(range.start, 'beginning'),
        keyText(range.end, 'end'), range.leader === '' ? 'none' : nodes.name(range.leader),
        range.voters.map(nodes.name).join(', ') + (range.learners.length ? ' (learning: ' +
          range.learners.map(nodes.name).join(', ') + ')' : ''),
        bytes(range.sizeBytes), rate(range.operationsPerSecond), rate(range.peakOperationsPerSecond),
        [range.change, ...range.faults].filter(each => each !== '').map(each => visible(each, 200)).join('; ') ||
          '–'])
      for (const [key, row] of made.parts.rows.element.querySelector('tbody').knownByKey) {
        row.classList.toggle('selected', key === selected)
      }
    })
  }

  frame.everyMillis = 2_000
  frame.refresh = async () => {
    const [ranges, list] = await Promise.all([all(), get('/api/v1/nodes' + query({fields: 'id,rpcAddress'}))])
    if (frame.gone.aborted) {
      return
    }
    // many of them are looked at less often
    frame.everyMillis = ranges.items.length < 200 ? 2_000 : 10_000
    nodeList = list.items
    names = addresses(list.items)
    latest = ranges.items
    say(cut, ranges.isAll ? '' : 'There are more ranges than the ' + count(latest.length) + ' that are shown.')
    if (known !== null && ranges.isAll) {
      const told = news(known, latest, nodes)
      const at = new Date().toLocaleTimeString()
      for (const range of latest) {
        if (!known.has(keyOf(range))) {
          bornAt.set(keyOf(range), performance.now())
        }
      }
      told.forEach(text => log.prepend(el('li', {}, at + ' ' + text)))
      while (log.children.length > MAX_NEWS) {
        log.lastElementChild.remove()
      }
      if (told.length) {
        nothing.hidden = true
        announce(told.slice(0, 5).join('. '))
      }
    }
    known = new Map(latest.map(range => [keyOf(range), range]))
    for (const key of bornAt.keys()) {
      if (!known.has(key)) {
        bornAt.delete(key)
      }
    }
    draw()
  }
}
