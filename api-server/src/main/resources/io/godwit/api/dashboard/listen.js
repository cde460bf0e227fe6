// Messages as they arrive, over the broker's own WebSocket listener: the page is one more client of MQTT 3.1.1.
import {get} from './api.js'
import {announce, el, keyed, say} from './dom.js'
import {bytes, count, hex, lines, visible} from './format.js'
import {choice, labelled, textField} from './names.js'

const MOST_ROWS = 100
const MOST_SHOWN = 2_000
/** A flood of messages is drawn as often as this. */
const DRAW_MILLIS = 250
const ANSWER_SECONDS = 10
const REFUSED = 0x80

const CONNACK = {
  1: 'The broker does not speak MQTT 3.1.1.',
  2: 'The broker refuses the client id of this page.',
  3: 'The broker has no room for a connection now.',
  4: 'The user name or the password is wrong.',
  5: 'This user may not connect, or nobody may without a user name.',
}

const UNREACHED = 'No WebSocket was opened. The listener may not be reachable from here, its certificate may not be ' +
  'known to this browser, or it may refuse pages of this origin (allowedOrigins of the listener).'

/** The part of the page that subscribes. The connection ends with the page. */
export function listening(frame) {
  const part = el('section', {class: 'card', 'aria-labelledby': 'live-title'},
    el('h2', {id: 'live-title'}, 'See messages arrive'))
  const state = el('p', {id: 'live-state', role: 'status'}, 'Asking for the WebSocket listeners.')
  part.append(state)
  get('/api/v1/websockets').then(answer => {
    if (!frame.gone.aborted) {
      offer(frame, part, state, answer.items)
    }
  }).catch(frame.failed)
  return part
}

function offer(frame, part, state, listeners) {
  if (location.hostname.startsWith('[')) {
    say(state, 'Open the dashboard by a name or an IPv4 address: a page cannot be allowed a WebSocket to an IPv6 one.')
    return
  }
  const isSecure = location.protocol === 'https:'
  const usable = listeners.filter(each => each.tls || !isSecure)
    .map(each => (each.tls ? 'wss://' : 'ws://') + location.hostname + ':' + each.port + each.path)
  if (usable.length === 0) {
    say(state, listeners.length === 0
      ? 'This node has no WebSocket listener (mqttServerConfig.wsListener, wssListener), and a page can subscribe by ' +
        'no other.'
      : 'This node has no WebSocket listener with TLS (mqttServerConfig.wssListener), which a page of https needs.')
    return
  }
  say(state, 'Not connected.')
  new Listening(frame, part, state, usable)
}

class Listening {
  #client = null
  #filter = ''
  #rows = []
  #total = 0
  #timer = 0

  constructor(frame, part, state, urls) {
    this.state = state
    this.error = el('p', {id: 'live-error', class: 'error', role: 'alert'})
    this.url = choice('live-url', urls.map(each => [each, each]), urls[0])
    this.filter = textField('live-filter', frame.where.query.get('topic') ?? '', {required: true})
    this.qos = choice('live-qos', [['0', '0, at most once'], ['1', '1, at least once']], '1')
    this.user = textField('live-user', '')
    this.password = el('input', {id: 'live-password', type: 'password', autocomplete: 'new-password',
      maxlength: '65535'})
    this.begin = el('button', {type: 'submit', id: 'live-begin'}, 'Subscribe')
    this.end = el('button', {type: 'button', id: 'live-end', hidden: true, on: {click: () => this.#unsubscribe()}},
      'Unsubscribe')
    this.form = el('form', {class: 'message'},
      labelled('live-filter', 'Topic filter', this.filter),
      labelled('live-qos', 'QoS', this.qos),
      labelled('live-user', 'User name of MQTT', this.user),
      labelled('live-password', 'Password of MQTT', this.password),
      urls.length > 1 && labelled('live-url', 'Listener', this.url),
      el('p', {class: 'hint'}, 'This page connects as a client of its own, with what its user may do; leave the name ' +
        'empty where nobody is asked for one. The password is not kept.'),
      el('div', {class: 'buttons'}, this.begin, this.end))
    this.counted = el('p', {id: 'live-count', hidden: true})
    this.list = el('ol', {id: 'arrivals', class: 'arrivals', 'aria-label': 'Messages, the newest first'})
    this.form.addEventListener('submit', event => {
      event.preventDefault()
      this.#subscribe()
    })
    part.append(this.form, this.error, this.counted, this.list)
    frame.gone.addEventListener('abort', () => this.#leave())
  }

  #subscribe() {
    this.#leave() // of the filter before
    say(this.error, '')
    const made = new window.Paho.Client(this.url.value, 'dashboard-' + random())
    const isCurrent = () => this.#client === made
    this.#client = made
    this.#filter = this.filter.value
    this.#show('Connecting.', true)
    made.onMessageArrived = message => isCurrent() && this.#arrived(message)
    made.onConnectionLost = lost => isCurrent() && lost.errorCode !== 0 &&
      this.#failed('The connection is lost: the broker or the network has closed it.')
    const options = {mqttVersion: 4, cleanSession: true, reconnect: false, timeout: ANSWER_SECONDS,
      keepAliveInterval: 30,
      onSuccess: () => isCurrent() && this.#connected(made),
      onFailure: failure => isCurrent() && this.#failed(refusal(failure))}
    if (this.user.value !== '' || this.password.value !== '') {
      options.userName = this.user.value
      options.password = this.password.value
    }
    this.password.value = ''
    try {
      made.connect(options)
    } catch (e) {
      this.#failed('The browser does not connect: ' + visible(e.message, 200))
    }
  }

  #connected(client) {
    const filter = this.#filter
    const shown = visible(filter, 200)
    say(this.state, 'Connected; subscribing to ' + shown + '.')
    const isCurrent = () => this.#client === client
    // QoS 2 is not offered: the client keeps such messages in the browser's store, where they would stay
    client.subscribe(filter, {qos: Number(this.qos.value), timeout: ANSWER_SECONDS,
      onSuccess: answer => {
        if (isCurrent()) {
          this.#rows = []
          this.#total = 0
          this.#draw()
          say(this.state, 'Subscribed to ' + shown + ' with QoS ' + Number(answer.grantedQos[0] ?? 0) + '.')
          announce('Subscribed.')
        }
      },
      onFailure: failure => isCurrent() && this.#failed(failure.errorCode?.[0] === REFUSED
        ? 'The broker refuses this subscription: the filter is not valid, or this user may not have it.'
        : 'The broker did not answer the subscription in time.')})
  }

  #unsubscribe() {
    const client = this.#client
    if (!client?.isConnected()) {
      this.#leave()
      return
    }
    const done = text => {
      if (this.#client === client) {
        this.#leave()
        say(this.state, text)
      }
    }
    client.unsubscribe(this.#filter, {timeout: ANSWER_SECONDS,
      onSuccess: () => done('Unsubscribed.'),
      onFailure: () => done('The broker did not answer; the connection is closed.')})
  }

  #failed(text) {
    this.#leave()
    say(this.error, text)
  }

  /** Also drops the client, and with it the password that it has. */
  #leave() {
    const client = this.#client
    this.#client = null
    clearTimeout(this.#timer)
    this.#timer = 0
    this.#draw()
    this.#show('Not connected.', false)
    try {
      client?.disconnect()
    } catch (e) {
      // it was not connected
    }
  }

  #show(text, isBusy) {
    say(this.state, text)
    this.begin.hidden = isBusy
    this.end.hidden = !isBusy
  }

  #arrived(message) {
    this.#total++
    const payload = message.payloadBytes // of a frame that may be large: only what is shown is kept
    this.#rows.unshift({number: this.#total, at: new Date(), topic: message.destinationName, qos: message.qos,
      retained: message.retained, duplicate: message.duplicate, length: payload.length,
      shown: payload.slice(0, MOST_SHOWN)})
    this.#rows.length = Math.min(this.#rows.length, MOST_ROWS)
    if (this.#timer === 0) {
      this.#timer = setTimeout(() => {
        this.#timer = 0
        this.#draw()
      }, DRAW_MILLIS)
    }
  }

  #draw() {
    this.counted.hidden = this.#total === 0
    say(this.counted, count(this.#total) + (this.#total === 1 ? ' message' : ' messages') +
      (this.#total > MOST_ROWS ? ', the last ' + MOST_ROWS + ' of them here' : ''))
    keyed(this.list, this.#rows, row => row.number, arrival, () => {})
  }
}

function arrival(row) {
  const marks = ['QoS ' + row.qos, row.retained && 'retained', row.duplicate && 'repeated', bytes(row.length)]
    .filter(Boolean).join(', ')
  return el('li', {},
    el('p', {}, el('bdi', {class: 'topic'}, visible(row.topic, 500)),
      el('span', {class: 'hint'}, ' ' + row.at.toLocaleTimeString() + ', ' + marks)),
    el('pre', {class: 'payload', tabindex: '0', 'aria-label': 'Payload'}, text(row.shown)),
    row.length > MOST_SHOWN && el('p', {class: 'hint'}, 'The first ' + MOST_SHOWN + ' bytes of it.'))
}

/** As UTF-8 where it is that, up to where a shortened one ends; else as numbers. */
function text(shown) {
  try {
    return lines(new TextDecoder('utf-8', {fatal: true}).decode(shown, {stream: shown.length === MOST_SHOWN}))
  } catch (e) {
    return hex(shown)
  }
}

function refusal(failure) {
  const code = /return code:(\d+)/.exec(failure.errorMessage ?? '')
  if (code) {
    return CONNACK[code[1]] ?? 'The broker refuses the connection (' + code[1] + ').'
  }
  return failure.errorCode === 1 ? 'The broker did not answer in time.' : UNREACHED
}

function random() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map(each => each.toString(16).padStart(2, '0')).join('')
}
