"""Python's paho-mqtt against a broker on 127.0.0.1: paho_check.py PORT VERSION. Prints "ok"."""

import queue
import sys

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PORT = int(sys.argv[1])
VERSION = int(sys.argv[2])
PATIENCE = 10


class Client:
    def __init__(self, name, persistent=False, will=None):
        arguments = {"client_id": f"python-{VERSION}-{name}", "protocol": VERSION}
        if VERSION == 4:
            arguments["clean_session"] = not persistent
        if hasattr(mqtt, "CallbackAPIVersion"):
            arguments["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
        self.client = mqtt.Client(**arguments)
        self.connected = queue.Queue()
        self.subscribed = queue.Queue()
        self.messages = queue.Queue()
        self.client.on_connect = lambda client, data, flags, *rest: self.connected.put(
            flags["session present"] if isinstance(flags, dict) else flags.session_present
        )
        self.client.on_subscribe = lambda *arguments: self.subscribed.put(True)
        self.client.on_message = lambda client, data, message: self.messages.put(message)
        if will:
            self.client.will_set(will, "gone", 1)
        options = {}
        if VERSION == 5:
            options["clean_start"] = not persistent
            if persistent:
                options["properties"] = Properties(PacketTypes.CONNECT)
                options["properties"].SessionExpiryInterval = 3600
        self.client.connect("127.0.0.1", PORT, **options)
        self.client.loop_start()
        self.present = bool(self.connected.get(timeout=PATIENCE))

    def subscribe(self, topic, qos):
        self.client.subscribe(topic, qos)
        self.subscribed.get(timeout=PATIENCE)
        return self

    def publish(self, topic, payload, qos, retain=False):
        self.client.publish(topic, payload, qos, retain).wait_for_publish(PATIENCE)

    def expect(self, payload, qos, retain=False):
        message = self.messages.get(timeout=PATIENCE)
        got = (message.payload.decode(), message.qos, bool(message.retain))
        assert got == (payload, qos, retain), f"{got} instead of {(payload, qos, retain)}"

    def expect_silence(self):
        try:
            message = self.messages.get(timeout=0.3)
        except queue.Empty:
            return
        raise AssertionError(f"unexpected: {message.payload}")

    def disconnect(self):
        self.client.disconnect()
        self.client.loop_stop()

    def cut(self):
        self.client.loop_stop()
        self.client.socket().close()


base = f"python/{VERSION}"
publisher = Client("publisher")

receiver = Client("receiver").subscribe(f"{base}/qos/#", 2)
for level in range(3):
    publisher.publish(f"{base}/qos/{level}", f"payload {level}", level)
    receiver.expect(f"payload {level}", level)

publisher.publish(f"{base}/kept", "kept", 1, True)
Client("late").subscribe(f"{base}/kept", 1).expect("kept", 1, True)
publisher.publish(f"{base}/kept", "", 1, True)
Client("later").subscribe(f"{base}/kept", 1).expect_silence()

watcher = Client("watcher").subscribe(f"{base}/will", 1)
Client("dying", will=f"{base}/will").cut()
watcher.expect("gone", 1)

away = Client("away", persistent=True)
assert not away.present
away.subscribe(f"{base}/away", 2).disconnect()
for number in range(20):
    publisher.publish(f"{base}/away", str(number), 1 + number % 2)
away = Client("away", persistent=True)
assert away.present
waiting = [away.messages.get(timeout=PATIENCE) for _ in range(20)]
for qos in 1, 2:  # order is promised within one of them
    got = [int(message.payload) for message in waiting if message.qos == qos]
    assert got == list(range(qos - 1, 20, 2)), got
away.expect_silence()

members = [Client(f"member-{number}").subscribe(f"$share/group/{base}/shared", 1) for number in range(2)]
for number in range(20):
    publisher.publish(f"{base}/shared", str(number), 1)
got = []
for member in members:
    try:
        while True:
            got.append(int(member.messages.get(timeout=0.5).payload))
    except queue.Empty:
        pass
assert sorted(got) == list(range(20)), got

print("ok")
