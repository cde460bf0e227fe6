import {actionForm} from './actions.js'
import {query} from './api.js'
import {el} from './dom.js'
import {live} from './live.js'
import {labelled, textField} from './names.js'

export const title = 'Trace'
export const isOfTenant = true
export const needs = ['operator', 'To trace']

export function show(frame) {
  const asked = frame.where.query
  const client = textField('client', asked.get('clientId'))
  const topic = textField('topic', asked.get('topic'))
  const address = textField('address', asked.get('address'), {maxlength: '64'})
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '256'})
  const seconds = el('input', {id: 'seconds', type: 'number', min: '1', max: '3600', value: '60', required: true})
  const error = el('p', {id: 'trace-error', class: 'error', role: 'alert'})
  const panel = live(frame, {caption: 'Trace', file: 'trace.txt', isEndless: false, target: () => {
    error.textContent = ''
    if ([client, topic, address].every(field => field.value === '')) {
      error.textContent = 'Say a client id, a topic filter or an address.'
      client.focus()
      return null
    }
    return '/api/v1/trace' + query({clientId: client.value, topic: topic.value, address: address.value,
      tenant: tenant.value, seconds: seconds.value})
  }})
  frame.main.append(el('div', {class: 'card'}, actionForm('Start', 'start', () => panel.start(),
    labelled('client', 'Client id', client),
    labelled('topic', 'Topic filter', topic),
    labelled('address', 'Address', address),
    !frame.me.tenant && labelled('tenant', 'Tenant', tenant),
    labelled('seconds', 'Seconds', seconds)), error,
  el('p', {class: 'hint'}, 'Follows one client, the topics that a filter matches, or the clients of an address ',
    'through all nodes. Where several are given, all must hold. Payloads are not told.')), panel.element)
}
