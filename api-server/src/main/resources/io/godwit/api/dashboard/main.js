import {may, mayNot} from './actions.js'
import {Failed, get, keepToken, token, whenRefused} from './api.js'
import {announce, el, fill, say} from './dom.js'
import {visible} from './format.js'
import {login} from './login.js'
import * as bans from './bans.js'
import * as clients from './clients.js'
import * as configuration from './configuration.js'
import * as delayed from './delayed.js'
import * as events from './events.js'
import * as groups from './groups.js'
import * as history from './history.js'
import * as nodes from './nodes.js'
import * as overview from './overview.js'
import * as publish from './publish.js'
import * as ranges from './ranges.js'
import * as retained from './retained.js'
import * as sessions from './sessions.js'
import * as settings from './settings.js'
import * as subscriptions from './subscriptions.js'
import * as tokens from './tokens.js'
import * as trace from './trace.js'
import * as users from './users.js'

// A page has a title, show(frame) that fills frame.main and may set frame.refresh, isOfTenant when a token of one
// tenant may see it, and needs = [role, what it is needed for] when a viewer may not. The address has the page and what
// it shows: #/clients/ID?tenant=T.
const PAGES = {overview, nodes, clients, sessions, subscriptions, groups, bans, retained, delayed, publish, events,
  trace, ranges, configuration, users, tokens, settings}
const LATE_MILLIS = 60_000

const main = document.getElementById('main')
const nav = document.getElementById('nav')
const who = document.getElementById('who')
const notice = document.getElementById('notice')

let me = null
/** Ends what the page before has begun. */
let leave = () => {}

function address() {
  const [path, query] = location.hash.replace(/^#/, '').split('?', 2)
  const parts = path.split('/').slice(1).map(part => {
    try {
      return decodeURIComponent(part)
    } catch (e) {
      return ''
    }
  })
  return {name: parts[0] ?? '', rest: parts.slice(1), query: new URLSearchParams(query ?? '')}
}

function allowed() {
  return Object.entries(PAGES).filter(([, page]) => !me.tenant || page.isOfTenant)
}

function showFrame() {
  nav.hidden = false
  const open = allowed().filter(([, page]) => !page.needs || may(me, page.needs[0]))
  fill(nav, el('ul', {}, open.map(([name, page]) =>
    el('li', {}, el('a', {href: '#/' + name, 'data-page': name}, page.title)))))
  who.hidden = false
  fill(who,
    el('span', {id: 'caller'}, visible(me.name, 64) + ' (' + me.role + (me.tenant ? ', tenant ' +
      visible(me.tenant, 64) : '') + ')'),
    me.kind === 'token' && el('button', {type: 'button', id: 'logout', on: {click: logOut}}, 'Log out'))
}

function hideFrame() {
  leave()
  leave = () => {}
  history.clear()
  nav.hidden = true
  who.hidden = true
  fill(nav)
  fill(who)
  say(notice, '')
  document.title = 'Log in - Godwit'
}

function logOut() {
  keepToken('')
  me = null
  hideFrame()
  login(main, '', loggedIn)
}

function loggedIn(caller) {
  me = caller
  showFrame()
  route()
}

async function route() {
  if (!me) {
    return
  }
  leave()
  const where = address()
  const pages = allowed()
  const [name, page] = pages.find(([each]) => each === where.name) ?? pages[0]
  for (const link of nav.querySelectorAll('a')) {
    if (link.dataset.page === name) {
      link.setAttribute('aria-current', 'page')
    } else {
      link.removeAttribute('aria-current')
    }
  }
  document.title = page.title + ' - Godwit'
  say(notice, '')
  const controller = new AbortController()
  const frame = {main, me, where, gone: controller.signal, everyMillis: 0, refresh: null, failed: e => {
    isOfAction = true
    tell(e)
  }, fine: () => {
    isOfAction = false
    say(notice, '')
  }, now: () => refresh()}
  let timer = 0
  let running = null
  // What was refused to somebody stays to be read, whatever comes by itself.
  let isOfAction = false
  let wanted = false
  leave = () => {
    controller.abort()
    clearTimeout(timer)
  }
  // One at a time, and the next so long after the last: a slow node is not asked more. Whoever wants one while one is
  // under way waits for one more.
  const refresh = async () => {
    clearTimeout(timer)
    if (controller.signal.aborted || !frame.refresh) {
      return
    }
    wanted = true
    running ??= run()
    await running
  }
  const run = async () => {
    let millis = frame.everyMillis
    while (wanted && !controller.signal.aborted) {
      wanted = false
      try {
        await frame.refresh()
        millis = frame.everyMillis
        if (!controller.signal.aborted && !isOfAction) {
          say(notice, '')
        }
      } catch (e) {
        millis = Math.min(LATE_MILLIS, frame.everyMillis * 2)
        if (!controller.signal.aborted) {
          isOfAction = false
          tell(e)
        }
      }
    }
    running = null
    if (millis > 0 && !controller.signal.aborted) {
      timer = setTimeout(later, millis)
    }
  }
  // A tab that nobody sees asks for nothing.
  const later = () => {
    if (!document.hidden) {
      refresh()
    }
  }
  document.addEventListener('visibilitychange', later, {signal: controller.signal})
  fill(main, el('h1', {tabindex: '-1', id: 'title'}, page.title))
  if (page.needs && !may(me, page.needs[0])) {
    main.append(mayNot(page.needs[1], page.needs[0]))
  } else {
    page.show(frame)
  }
  document.getElementById('title')?.focus()
  announce(page.title)
  await refresh()
}

function tell(failure) {
  if (failure instanceof Failed && failure.status === 401) {
    return // the form to log in says it
  }
  if (!(failure instanceof Failed)) {
    console.error(failure)
  }
  say(notice, failure instanceof Failed ? failure.message : 'A fault of this page: ' + failure.message)
}

async function start() {
  try {
    loggedIn(await get('/api/v1/me'))
  } catch (e) {
    if (!(e instanceof Failed)) {
      tell(e)
    } else if (e.status !== 401) {
      fill(main, el('div', {class: 'card'}, el('h1', {tabindex: '-1'}, 'The dashboard cannot be shown'),
        el('p', {class: 'error', role: 'alert'}, e.message),
        el('button', {type: 'button', on: {click: start}}, 'Try again')))
    }
  }
}

whenRefused(() => {
  if (me === null && document.getElementById('token')) {
    return // the form itself tells; or another request was refused before
  }
  const had = token() !== ''
  keepToken('')
  me = null
  hideFrame()
  login(main, had ? 'The token is no longer valid.' : '', loggedIn)
})
window.addEventListener('hashchange', route)
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault()
  main.focus()
})
start()
