import {query, send} from './api.js'
import {el, say} from './dom.js'
import {visible} from './format.js'
import {listening} from './listen.js'
import {choice, labelled, textField} from './names.js'

export const title = 'Publish'
export const isOfTenant = true
export const needs = ['operator', 'To publish']

const QOS = [['0', '0, at most once'], ['1', '1, at least once'], ['2', '2, exactly once']]
const OUTCOMES = {delivered: 'published. Somebody is subscribed.', 'no-subscribers': 'published. Nobody is subscribed.'}

export function show(frame) {
  const asked = frame.where.query
  const topic = textField('topic', asked.get('topic'), {required: true})
  const tenant = textField('tenant', asked.get('tenant'), {maxlength: '64'})
  const payload = el('textarea', {id: 'payload', rows: '5', spellcheck: 'false', autocomplete: 'off'})
  const encoding = choice('encoding', [['text', 'Text'], ['base64', 'Base64']], 'text')
  const qos = choice('qos', QOS, '1')
  const retain = el('input', {id: 'retain', type: 'checkbox'})
  const expiry = el('input', {id: 'expiry', type: 'number', min: '0', max: '4294967295'})
  const contentType = textField('content-type', '')
  const responseTopic = textField('response-topic', '')
  const pairs = el('textarea', {id: 'user-properties', rows: '2', spellcheck: 'false', autocomplete: 'off',
    'aria-describedby': 'pairs-hint'})
  const done = el('p', {id: 'outcome', role: 'status'})
  const error = el('p', {id: 'publish-error', class: 'error', role: 'alert'})
  const button = el('button', {type: 'submit'}, 'Publish')
  const form = el('form', {class: 'card message'},
    labelled('topic', 'Topic', topic),
    !frame.me.tenant && labelled('tenant', 'Tenant', tenant),
    labelled('payload', 'Payload', payload),
    labelled('encoding', 'Payload is', encoding),
    labelled('qos', 'QoS', qos),
    el('div', {class: 'tick'}, retain, el('label', {for: 'retain'}, 'Retain; an empty payload clears the topic')),
    el('details', {},
      el('summary', {}, 'Properties of MQTT 5.0'),
      labelled('expiry', 'Expires after (seconds)', expiry),
      labelled('content-type', 'Content type', contentType),
      labelled('response-topic', 'Response topic', responseTopic),
      labelled('user-properties', 'User properties', pairs),
      el('p', {class: 'hint', id: 'pairs-hint'}, 'One on each line: name=value')),
    el('div', {class: 'buttons'}, button),
    done,
    error)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    say(done, '')
    say(error, '')
    const properties = {}
    if (expiry.value !== '') {
      properties.messageExpirySeconds = Number(expiry.value)
    }
    if (contentType.value !== '') {
      properties.contentType = contentType.value
    }
    if (responseTopic.value !== '') {
      properties.responseTopic = responseTopic.value
    }
    const given = pairs.value.split('\n').filter(line => line !== '')
    if (given.some(line => !line.includes('='))) {
      say(error, 'A user property has no =.')
      pairs.focus()
      return
    }
    if (given.length > 0) {
      properties.userProperties = given.map(line => ({name: line.slice(0, line.indexOf('=')),
        value: line.slice(line.indexOf('=') + 1)}))
    }
    const body = {topic: topic.value, payload: payload.value, encoding: encoding.value, qos: Number(qos.value),
      retain: retain.checked, ...Object.keys(properties).length > 0 && {properties}}
    button.disabled = true
    try {
      const answer = await send('POST', '/api/v1/publish' + query({tenant: tenant.value}), body)
      say(done, visible(body.topic, 200) + ': ' + (OUTCOMES[answer.outcome] ?? answer.outcome))
    } catch (e) {
      if (e.status === undefined) {
        frame.failed(e)
      } else {
        say(error, e.message)
      }
    } finally {
      button.disabled = false
    }
  })
  frame.main.append(form, el('p', {class: 'hint'}, 'Lists of access (ACL) do not hold here: the role does. The ',
    'broker answers when it would have acknowledged the message to a client.'),
  listening(frame))
}
