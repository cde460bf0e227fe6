// MQTT.js against a broker: check.cjs CA-FILE VIA=PORT...
// As check.py beside it: all ways and both versions of MQTT at once, one line of JSON for each step with what was seen.

const fs = require('fs')
const mqtt = require('mqtt')

const PATIENCE = 20_000
const SCHEMES = { tcp: 'mqtt', tls: 'mqtts', ws: 'ws', wss: 'wss' }
const ca = fs.readFileSync(process.argv[2])

function within(promise, what) {
  let timer
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing in ${PATIENCE} ms`)), PATIENCE)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function shown(packet) {
  const flags = (packet.retain ? ' retained' : '') + (packet.dup ? ' dup' : '')
  return `${packet.payload} q${packet.qos}${flags}`
}

/** One client with a queue of what it has received. */
class Client {
  constructor(url, options, silent) {
    this.packets = []
    this.waiting = null
    this.mqtt = mqtt.connect(url, { ca, connectTimeout: PATIENCE, reconnectPeriod: 0, ...options })
    this.mqtt.on('error', (error) => fail(error))
    if (silent) {
      const send = this.mqtt._sendPacket.bind(this.mqtt)
      this.mqtt._sendPacket = (packet, done, ...more) =>
        /^pub(ack|rec)$/.test(packet.cmd) ? done && done() : send(packet, done, ...more)
      this.mqtt.on('packetreceive', (packet) => packet.cmd === 'publish' && this.take(packet))
    } else {
      this.mqtt.on('message', (topic, payload, packet) => this.take(packet))
    }
    this.open = within(
      new Promise((resolve) => this.mqtt.once('connect', (connack) => resolve(connack.sessionPresent))),
      'CONNACK',
    )
  }

  take(packet) {
    this.packets.push(packet)
    if (this.waiting) {
      this.waiting()
      this.waiting = null
    }
  }

  async packet() {
    if (this.packets.length === 0) {
      await within(new Promise((resolve) => (this.waiting = resolve)), 'message')
    }
    return this.packets.shift()
  }

  async message() {
    return shown(await this.packet())
  }

  /** What comes up to the payload that is known to be the last. */
  async until(last) {
    const seen = []
    do {
      seen.push(await this.message())
    } while (!seen[seen.length - 1].startsWith(last))
    return seen
  }

  async subscribe(topic, qos, properties) {
    const granted = await within(this.mqtt.subscribeAsync(topic, { qos, properties }), 'SUBACK')
    if (granted.length !== 1 || granted[0].qos !== qos) {
      throw new Error(`granted ${JSON.stringify(granted)}`)
    }
  }

  publish(topic, payload, qos, options) {
    return within(this.mqtt.publishAsync(topic, payload, { qos, ...options }), 'acknowledgement')
  }

  disconnect() {
    return within(this.mqtt.endAsync(), 'end')
  }

  cut() {
    this.mqtt.stream.destroy()
    return within(this.mqtt.endAsync(true), 'end')
  }
}

class Scenario {
  constructor(via, port, version) {
    Object.assign(this, { via, version, base: `mqttjs/${via}/${version}`, standing: new Set() })
    this.url = `${SCHEMES[via]}://127.0.0.1:${port}${via.startsWith('ws') ? '/mqtt' : ''}`
  }

  async client(name, { kept, will, silent, reconnectPeriod } = {}) {
    const options = { clientId: `mqttjs-${this.via}-${this.version}-${name}`, protocolVersion: this.version,
      clean: !kept }
    if (kept && this.version === 5) {
      options.properties = { sessionExpiryInterval: 3600 }
    }
    if (will) {
      options.will = { topic: will, payload: 'gone', qos: 1 }
    }
    if (reconnectPeriod) {
      options.reconnectPeriod = reconnectPeriod
    }
    const client = new Client(this.url, options, silent)
    client.present = await client.open
    this.standing.add(client)
    return client
  }

  leave(client, cut) {
    this.standing.delete(client)
    return cut ? client.cut() : client.disconnect()
  }

  async run() {
    this.publisher = await this.client('publisher')
    for (const step of ['qos', 'retained', 'will', 'away', 'again', 'shared', 'properties', 'lost']) {
      if (step !== 'properties' || this.version === 5) {
        const seen = await this[step]()
        console.log(JSON.stringify({ via: this.via, version: this.version, step, seen }))
      }
    }
    for (const client of this.standing) {
      await this.leave(client)
    }
  }

  async qos() {
    const receiver = await this.client('receiver')
    await receiver.subscribe(`${this.base}/qos/#`, 2)
    const seen = []
    for (let qos = 0; qos <= 2; qos++) {
      await this.publisher.publish(`${this.base}/qos/${qos}`, `level ${qos}`, qos)
      seen.push(await receiver.message())
    }
    const large = 'x'.repeat(100_000) // more than a TLS record, a WebSocket frame or a read
    await this.publisher.publish(`${this.base}/qos/large`, large, 1)
    seen.push((await receiver.message()) === `${large} q1`)
    return seen
  }

  async retained() {
    const topic = `${this.base}/retained`
    await this.publisher.publish(topic, 'kept', 1, { retain: true })
    const early = await this.client('early')
    await early.subscribe(topic, 1)
    const seen = [await early.message()]
    await this.publisher.publish(topic, '', 1, { retain: true })
    const late = await this.client('late')
    await late.subscribe(topic, 1)
    await this.publisher.publish(topic, 'live', 1)
    return [seen, await late.until('live')]
  }

  async will() {
    const topic = `${this.base}/will`
    const watcher = await this.client('watcher')
    await watcher.subscribe(topic, 1)
    await this.leave(await this.client('polite', { will: topic }))
    await this.leave(await this.client('dying', { will: topic }), true)
    const seen = await watcher.until('gone')
    await this.publisher.publish(topic, 'last', 1)
    return seen.concat(await watcher.until('last'))
  }

  async away() {
    const topic = `${this.base}/away`
    const first = await this.client('away', { kept: true })
    await first.subscribe(topic, 2)
    await this.leave(first)
    for (let number = 0; number < 20; number++) {
      await this.publisher.publish(topic, String(number), number < 10 ? 1 : 2)
    }
    const again = await this.client('away', { kept: true })
    await this.publisher.publish(topic, 'last', 2)
    // the first may have been sent before the broker saw the client leave
    const seen = (await again.until('last')).map((text) => text.replace(/ dup$/, ''))
    return [first.present, again.present, seen]
  }

  async again() {
    const topic = `${this.base}/again`
    const silent = await this.client('again', { kept: true, silent: true })
    await silent.subscribe(topic, 2)
    await this.publisher.publish(topic, 'one', 1)
    await this.publisher.publish(topic, 'two', 2)
    const seen = [await silent.until('two')]
    await this.leave(silent, true)
    const answering = await this.client('again', { kept: true })
    await this.publisher.publish(topic, 'three', 2)
    seen.push(answering.present, await answering.until('three'))
    await this.leave(answering)
    const finished = await this.client('again', { kept: true })
    await this.publisher.publish(topic, 'four', 2)
    return seen.concat([finished.present, await finished.until('four')])
  }

  async shared() {
    const members = [await this.client('member-0'), await this.client('member-1')]
    for (const member of members) {
      await member.subscribe(`$share/group/${this.base}/shared`, 1)
      await member.subscribe(`${this.base}/end`, 1)
    }
    for (let number = 0; number < 30; number++) {
      await this.publisher.publish(`${this.base}/shared`, String(number), 1)
    }
    await this.publisher.publish(`${this.base}/end`, 'end', 1)
    const parts = []
    for (const member of members) {
      parts.push((await member.until('end')).slice(0, -1))
    }
    const numbers = parts.flat().map((text) => parseInt(text)).sort((a, b) => a - b)
    return {
      each: parts.every((part) => part.length > 0),
      all: numbers.length === 30 && numbers.every((number, index) => number === index),
    }
  }

  async properties() {
    const receiver = await this.client('properties')
    await receiver.subscribe(`${this.base}/properties`, 1, { subscriptionIdentifier: 7 })
    await this.publisher.publish(`${this.base}/properties`, 'rich', 1, {
      properties: {
        userProperties: { a: ['1', '2'] },
        contentType: 'text/plain',
        responseTopic: 'answers/here',
        correlationData: Buffer.from([1, 2]),
        messageExpiryInterval: 300,
      },
    })
    const packet = await receiver.packet()
    const given = packet.properties
    return [
      shown(packet),
      {
        user: given.userProperties.a.map((value) => ['a', value]),
        content: given.contentType,
        response: given.responseTopic,
        correlation: given.correlationData.toString('hex'),
        expiry: given.messageExpiryInterval > 290 && given.messageExpiryInterval <= 300,
        subscription: [given.subscriptionIdentifier].flat(),
      },
    ]
  }

  /** A publisher that loses its connection while it waits for acknowledgements goes on by itself. */
  async lost() {
    const topic = `${this.base}/lost`
    const receiver = await this.client('lost-receiver')
    await receiver.subscribe(topic, 2)
    const sending = await this.client('lost-sender', { kept: true, reconnectPeriod: 10 })
    const published = []
    for (let number = 0; number < 40; number++) {
      published.push(
        sending.publish(topic, String(number), 2).catch((error) => {
          // MQTT.js takes it for a failure that the broker no longer knows an identifier which it released before the
          // loss: "not an error during recovery" (MQTT 5.0, 3.7.2.1)
          if (error.code !== 0x92) {
            throw error
          }
        }),
      )
    }
    await published[9]
    sending.mqtt.stream.destroy()
    await Promise.all(published)
    await this.publisher.publish(topic, 'last', 2)
    const seen = await receiver.until('last')
    return { once: new Set(seen).size === seen.length, all: seen.length }
  }
}

function fail(error) {
  console.error(error)
  process.exit(1)
}

Promise.all(
  process.argv.slice(3).flatMap((argument) => {
    const [via, port] = argument.split('=')
    return [4, 5].map((version) => new Scenario(via, port, version).run())
  }),
).then(() => process.exit(0), fail) // a socket that the library closes late does not hold the end up
