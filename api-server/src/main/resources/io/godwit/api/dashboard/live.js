// What happens on the nodes while it happens: rows that come by themselves.
import {Failed, stream} from './api.js'
import {announce, download, el, say, table} from './dom.js'
import {clock, count, visible} from './format.js'
import {linkTo, nodeName, nodeNames} from './names.js'

/** Of the rows that came, the newest. */
const SHOWN = 500
/** Of the entries that came: for the file. */
const KEPT = 5_000
const DRAW_MILLIS = 250
const RETRY_MILLIS = 5_000
const FIRST = new Set(['atMillis', 'node', 'type', 'tenant', 'clientId'])
const ENDS = {duration: 'The time is over.', token: 'The token was removed.', stopping: 'The node stops.',
  fault: 'The node had a fault.'}

function details(entry) {
  return Object.entries(entry).filter(([name]) => !FIRST.has(name)).map(([name, value]) => name + '=' + value)
    .join(' ')
}

function line(entry) {
  return [new Date(entry.atMillis).toISOString(), entry.node, entry.type,
    ...['tenant', 'clientId'].filter(name => name in entry).map(name => name + '=' + entry[name]), details(entry)]
    .map(each => visible(String(each), Infinity)).join(' ').trimEnd()
}

/**
 * Rows of a stream, the newest first. `target()` is where the stream is; null when it cannot be asked for. It goes on
 * after its time when `isEndless`. `element` is for the page; `start()` begins anew, without the rows of before.
 */
export function live(frame, {caption, file, target, isEndless}) {
  let entries = []
  let shown = []
  let came = 0
  let number = 0
  let isPaused = false
  let drawing = 0
  let names = new Map()
  let watched = new Map()
  let lost = 0
  let outcome = ''
  let running = null

  const state = el('p', {id: 'live-state'})
  const nodes = el('p', {id: 'live-nodes', class: 'hint'})
  const rows = table(caption, [{title: 'Time', kind: 'whole'}, {title: 'What', kind: 'whole'},
    {title: 'Client', kind: 'wide'}, {title: 'Details', kind: 'wide'}, {title: 'Node', kind: 'wrap'}])
  const button = (id, label, click) => el('button', {type: 'button', id, on: {click}}, label)
  const again = isEndless ? button('start', 'Go on', () => start()) : null
  const stop = button('stop', 'Stop', () => {
    running?.abort()
    announce('Stopped.')
  })
  const pause = button('pause', 'Pause', () => {
    isPaused = !isPaused
    draw()
  })
  const clear = button('clear', 'Clear', () => {
    forget()
    draw()
  })
  const keep = button('download', 'Download as text', () => download(file,
    entries.map(entry => line(entry.data)).join('\n') + '\n'))

  const forget = () => {
    entries = []
    shown = []
    came = 0
    lost = 0
  }
  const nodeOf = id => nodeName(names, id)
  const cells = entry => {
    entry.cells ??= [clock(entry.data.atMillis), visible(entry.data.type, 60),
      entry.data.clientId === undefined ? '–' : linkTo('clients', entry.data.tenant ?? '', entry.data.clientId),
      visible(details(entry.data), 600), nodeOf(entry.data.node)]
    return entry.cells
  }
  const draw = () => {
    drawing = 0
    if (!isPaused) {
      shown = entries.slice(-SHOWN).reverse()
    }
    rows.rows(shown, entry => entry.number, cells)
    const isRunning = running !== null
    stop.hidden = !isRunning
    if (again) {
      again.hidden = isRunning
    }
    keep.disabled = entries.length === 0
    pause.setAttribute('aria-pressed', String(isPaused))
    say(pause, isPaused ? 'Show new ones' : 'Pause')
    const newer = isPaused ? entries.filter(each => each.number > (shown[0]?.number ?? 0)).length : 0
    say(state, (isRunning ? isPaused ? 'Paused: ' + count(newer) + ' more came. ' : 'Live. ' : outcome + ' ') +
      count(came) + (came === 1 ? ' entry' : ' entries') +
      (came > SHOWN ? ', the last ' + count(SHOWN) + ' are shown' : '') +
      (came > KEPT ? ', the last ' + count(KEPT) + ' are kept' : '') +
      (lost > 0 ? '; ' + count(lost) + ' were lost, because they came too fast' : '') + '.')
    const off = [...watched].filter(([, is]) => !is).map(([id]) => nodeOf(id))
    const on = [...watched].filter(([, is]) => is).map(([id]) => nodeOf(id))
    say(nodes, (on.length > 0 ? 'Watched: ' + on.join(', ') + '. ' : '') +
      (off.length > 0 ? 'Not watched, so what happens there is missing: ' + off.join(', ') + '.' : ''))
  }
  const drawSoon = () => {
    if (drawing === 0) {
      drawing = setTimeout(draw, DRAW_MILLIS)
    }
  }
  const take = (event, data) => {
    if (event === 'node') {
      watched.set(data.node, data.watched)
    } else if (event === 'lost') {
      lost += data.count
    } else {
      entries.push({number: ++number, data})
      came++
      if (entries.length > KEPT * 1.1) {
        entries = entries.slice(-KEPT)
      }
    }
    drawSoon()
  }
  /** Until it is stopped, or there is nothing more to be had. */
  const follow = async (at, gone) => {
    while (!gone.aborted) {
      try {
        const reason = await stream(at, gone, take)
        if (reason !== null && (!isEndless || reason !== 'duration')) {
          return ENDS[reason] ?? reason
        }
      } catch (e) {
        if (!isEndless || e instanceof Failed && e.status >= 400 && e.status < 500) {
          throw e
        }
        frame.failed(e)
        await new Promise(then => setTimeout(then, RETRY_MILLIS))
        if (!gone.aborted) {
          frame.fine()
        }
      }
      watched = new Map()
    }
    return 'Stopped.'
  }
  const start = async () => {
    const at = target()
    if (at === null) {
      return
    }
    running?.abort()
    const mine = new AbortController()
    running = mine
    const leave = () => mine.abort()
    frame.gone.addEventListener('abort', leave)
    frame.fine()
    forget()
    watched = new Map()
    isPaused = false
    outcome = ''
    names = await nodeNames(frame.me)
    draw()
    let ended = ''
    try {
      ended = await follow(at, mine.signal)
    } catch (e) {
      if (!frame.gone.aborted) {
        frame.failed(e)
      }
      ended = 'Not watched.'
    } finally {
      frame.gone.removeEventListener('abort', leave)
      if (running === mine) {
        running = null
        outcome = ended
        if (!frame.gone.aborted) {
          draw()
        }
      }
    }
  }
  stop.hidden = true
  keep.disabled = true
  return {start, element: el('div', {class: 'card'}, state, nodes,
    el('div', {class: 'buttons first'}, stop, again, pause, clear, keep), rows.element)}
}
