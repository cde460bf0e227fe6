// MQTT.js with a list of servers stays connected by itself: rolling.cjs VERSION PORT...
// A publisher and a subscriber with stored sessions, on 127.0.0.1. Publishes the numbers that it reads, at QoS 1 and 2
// in turn, and prints a line for each connection, acknowledgement and number that it is given.

const mqtt = require('mqtt')
const readline = require('readline')

const version = Number(process.argv[2])
const servers = process.argv.slice(3).map((port) => ({ host: '127.0.0.1', port: Number(port), protocol: 'mqtt' }))
const topic = `rolling/mqttjs-${version}`

function client(name) {
  const options = { servers, clientId: `mqttjs-${version}-${name}`, clean: false, protocolVersion: version,
    reconnectPeriod: 500, connectTimeout: 10_000 }
  if (version === 5) {
    options.properties = { sessionExpiryInterval: 3600 }
  }
  const made = mqtt.connect(options)
  made.on('connect', () => console.log(`${name} connected`))
  made.on('error', (error) => console.log(`error of the ${name}: ${error}`))
  return made
}

const subscriber = client('subscriber')
subscriber.on('message', (of, payload) => console.log(`given ${payload}`))
subscriber.once('connect', () =>
  subscriber.subscribe(topic, { qos: 2 }, (error) => console.log(error ? `refused: ${error}` : 'subscribed')))
const publisher = client('publisher')
readline.createInterface({ input: process.stdin }).on('line', (number) => {
  publisher.publish(topic, number, { qos: 1 + (Number(number) % 2) }, (error) => {
    // A flow of QoS 2 goes on behind a reconnect. The broker may have finished it before: 0x92 is no error then
    // (MQTT 5.0, 3.7.2.1).
    if (error && error.code !== 0x92) {
      console.log(`not published: ${number}: ${error}`)
    } else {
      console.log(`acknowledged ${number}`)
    }
  })
})
