"""Python's paho-mqtt stays connected by itself: rolling.py PORT VERSION.

A publisher and a subscriber with stored sessions, on 127.0.0.1. Publishes the numbers that it reads, at QoS 1 and 2 in
turn, and prints a line for each connection, acknowledgement and number that it is given.
"""

import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PORT = int(sys.argv[1])
VERSION = int(sys.argv[2])
TOPIC = f"rolling/paho-python-{VERSION}"

lock = threading.Lock()
speaking = threading.Lock()  # print() writes the end of a line by itself
numbers = {}  # by packet id, until acknowledged
early = set()  # packet ids that were acknowledged before publish() has told them


def say(line):
    with speaking:
        print(line, flush=True)


def client(name, connected):
    arguments = {"client_id": f"paho-python-{VERSION}-{name}", "protocol": VERSION}
    if VERSION == 4:
        arguments["clean_session"] = False
    if hasattr(mqtt, "CallbackAPIVersion"):
        arguments["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
    made = mqtt.Client(**arguments)
    made.reconnect_delay_set(1, 2)

    def on_connect(client, data, flags, code, *rest):
        if code == 0:
            connected()
        else:
            say(f"{name} is refused: {code}")

    made.on_connect = on_connect
    made.on_disconnect = lambda *told: say(f"{name} is disconnected: {told[2:]}")
    options = {}
    if VERSION == 5:
        options["clean_start"] = False
        options["properties"] = Properties(PacketTypes.CONNECT)
        options["properties"].SessionExpiryInterval = 3600
    made.connect("127.0.0.1", PORT, **options)
    return made


def subscriber_connected():
    say("subscriber connected")
    subscriber.subscribe(TOPIC, 2)


def acknowledged(client, data, packet_id, *codes):
    if any(getattr(code, "is_failure", False) for code in codes):
        say(f"refused: {codes}")
        return
    with lock:
        number = numbers.pop(packet_id, None)
        if number is None:
            early.add(packet_id)
            return
    say(f"acknowledged {number}")


def publish(number):
    packet_id = publisher.publish(TOPIC, str(number), 1 + number % 2).mid
    with lock:
        if packet_id not in early:
            numbers[packet_id] = number
            return
        early.remove(packet_id)
    say(f"acknowledged {number}")


subscriber = client("subscriber", subscriber_connected)
subscriber.on_subscribe = lambda *told: say("subscribed")
subscriber.on_message = lambda client, data, message: say(f"given {message.payload.decode()}")
publisher = client("publisher", lambda: say("publisher connected"))
publisher.on_publish = acknowledged
subscriber.loop_start()
publisher.loop_start()
for line in sys.stdin:
    publish(int(line))
