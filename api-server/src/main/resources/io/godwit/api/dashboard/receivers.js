// Who gets messages: of a topic, a filter or a shared group.
import {get, query} from './api.js'
import {announce, el, say, table} from './dom.js'
import {count, visible} from './format.js'
import {lack, linkTo, nodeName, nodeNames} from './names.js'

const FIRST = 100

/** The first by client id, and how many there are; returns what asks again. `one` and `many` name them. */
export function receivers(frame, path, parameters, one, many) {
  const tenant = parameters.tenant || frame.me.tenant || 'default'
  const state = el('p', {id: 'found', class: 'hint'})
  const found = table(many, [{title: 'Client id', kind: 'wide'}, {title: 'QoS', kind: 'number'},
    {title: 'Node', kind: 'wide'}, {title: 'Session'}, {title: 'One of the group', kind: 'wide'}])
  const again = el('button', {type: 'button', id: 'again', on: {click: () => frame.now()}}, 'Refresh')
  frame.main.append(el('div', {class: 'card'}, state, found.element, el('div', {class: 'buttons'}, again)))
  frame.refresh = async () => {
    const [page, names] = await Promise.all([get(path + query({...parameters, limit: FIRST})), nodeNames(frame.me)])
    if (frame.gone.aborted) {
      return
    }
    found.rows(page.items, each => each.clientId + '\0' + each.sharedFilter + '\0' + each.stored, each => [
      linkTo(each.stored ? 'sessions' : 'clients', tenant, each.clientId), each.qos,
      each.node === '' ? '–' : nodeName(names, each.node), each.stored ? 'stored' : 'live',
      each.sharedFilter === '' ? '–' : visible(each.sharedFilter)])
    const line = (page.total > page.items.length ? 'The first ' + count(page.items.length) + ' of ' + count(page.total)
      : count(page.total)) + ' ' + (page.total === 1 ? one : many) + lack(page.missingNodes, 'subscriptions')
    say(state, line)
    announce(line)
  }
  return () => frame.now()
}
