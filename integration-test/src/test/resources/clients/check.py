"""A client library of Python against a broker: check.py LIBRARY CA-FILE VIA=PORT...

LIBRARY is aiomqtt or gmqtt; VIA is tcp, tls, ws or wss. All ways and both versions of MQTT at once; every step prints
one line of JSON with what was seen, which it is for the caller to judge. A received message is "payload qQOS", with
"retained" and "dup" where these flags are set.
"""

import asyncio
import json
import socket
import ssl
import sys

PATIENCE = 20
LIBRARY = sys.argv[1]
TLS = ssl.create_default_context(cafile=sys.argv[2])


def shown(payload, qos, retained, dup):
    return f"{payload.decode()} q{qos}" + " retained" * bool(retained) + " dup" * bool(dup)


class Aiomqtt:
    """One connection of aiomqtt, which stands upon Paho."""

    steps = ["qos", "retained", "will", "away", "again", "shared", "properties"]

    def __init__(self, via, port, version, client_id, kept, will, silent):
        import aiomqtt
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        self.types, self.properties = PacketTypes, Properties
        options = {"clean_session": not kept}
        if version == 5:
            options = {"clean_start": not kept}
            if kept:
                options["properties"] = Properties(PacketTypes.CONNECT)
                options["properties"].SessionExpiryInterval = 3600
        if via.startswith("ws"):
            options |= {"transport": "websockets", "websocket_path": "/mqtt"}
        if via in ("tls", "wss"):
            options["tls_context"] = TLS
        self.error = aiomqtt.MqttError
        self.client = aiomqtt.Client(
            "127.0.0.1",
            port,
            identifier=client_id,
            protocol=aiomqtt.ProtocolVersion(version),
            will=aiomqtt.Will(will, "gone", 1) if will else None,
            timeout=PATIENCE,
            **options,
        )
        self.client._client.manual_ack_set(silent)

    async def open(self):
        paho = self.client._client  # knows what aiomqtt does not hand on: session present, DUP
        self.duplicates = []
        told, given = paho.on_connect, paho.on_message

        def connected(client, data, flags, *rest):
            self.present = flags.session_present
            told(client, data, flags, *rest)

        def received(client, data, message):
            self.duplicates.append(message.dup)
            given(client, data, message)

        paho.on_connect, paho.on_message = connected, received
        await self.client.__aenter__()

    async def subscribe(self, topic, qos, identifier=None):
        properties = None
        if identifier:
            properties = self.properties(self.types.SUBSCRIBE)
            properties.SubscriptionIdentifier = identifier
        granted = await self.client.subscribe(topic, qos, properties=properties)
        assert [getattr(code, "value", code) for code in granted] == [qos], granted

    async def publish(self, topic, payload, qos, retain=False, properties=False):
        own = None
        if properties:
            own = self.properties(self.types.PUBLISH)
            own.UserProperty = [("a", "1"), ("a", "2")]
            own.ContentType = "text/plain"
            own.ResponseTopic = "answers/here"
            own.CorrelationData = b"\x01\x02"
            own.MessageExpiryInterval = 300
        await self.client.publish(topic, payload, qos, retain, own)

    async def message(self):
        message = await asyncio.wait_for(anext(self.client.messages), PATIENCE)
        text = shown(message.payload, message.qos, message.retain, self.duplicates.pop(0))
        given = message.properties
        if not getattr(given, "ContentType", None):
            return text, None
        return text, {
            "user": [list(pair) for pair in given.UserProperty],
            "content": given.ContentType,
            "response": given.ResponseTopic,
            "correlation": given.CorrelationData.hex(),
            "expiry": 290 < given.MessageExpiryInterval <= 300,
            "subscription": given.SubscriptionIdentifier,
        }

    async def disconnect(self):
        await self.client.__aexit__(None, None, None)

    async def cut(self):
        used = self.client._client.socket()
        getattr(used, "_socket", used).shutdown(socket.SHUT_RDWR)
        try:
            await self.client.__aexit__(None, None, None)
        except self.error:
            pass  # that the connection is gone


class Gmqtt:
    """One connection of gmqtt, which has a protocol engine of its own and no WebSocket."""

    steps = ["qos", "retained", "will", "away", "again", "shared", "properties", "lost"]

    def __init__(self, via, port, version, client_id, kept, will, silent):
        import gmqtt

        self.version, self.via, self.port = version, via, port
        options = {"session_expiry_interval": 3600} if version == 5 and kept else {}
        if will:
            options["will_message"] = gmqtt.Message(will, "gone", qos=1)
        self.client = gmqtt.Client(client_id, clean_session=not kept, **options)
        self.client.set_config({"reconnect_delay": 0, "reconnect_retries": -1})
        self.messages, self.granted = asyncio.Queue(), asyncio.Queue()
        self.client.on_connect = self.connected
        self.client.on_subscribe = lambda client, mid, qos, properties: self.granted.put_nowait(list(qos))
        self.client.on_message = self.received
        if silent:
            self.client._package_handler._send_puback = lambda *arguments, **more: None
            self.client._package_handler._send_pubrec = lambda *arguments, **more: None

    def connected(self, client, flags, code, properties):
        self.present = bool(flags & 1)

    def received(self, client, topic, payload, qos, properties):
        self.messages.put_nowait((payload, qos, properties))
        return 0

    async def open(self):
        await self.client.connect(
            "127.0.0.1", self.port, ssl=TLS if self.via == "tls" else False, version=self.version
        )

    async def subscribe(self, topic, qos, identifier=None):
        self.client.subscribe(topic, qos, **({"subscription_identifier": identifier} if identifier else {}))
        granted = await asyncio.wait_for(self.granted.get(), PATIENCE)
        assert granted == [qos], granted

    async def publish(self, topic, payload, qos, retain=False, properties=False):
        own = {}
        if properties:
            own = {
                "user_property": [("a", "1"), ("a", "2")],
                "content_type": "text/plain",
                "response_topic": "answers/here",
                "correlation_data": b"\x01\x02",
                "message_expiry_interval": 300,
            }
        self.client.publish(topic, payload, qos=qos, retain=retain, **own)
        await self.acknowledged()

    async def acknowledged(self):
        await asyncio.wait_for(self.client._persistent_storage.wait_empty(), PATIENCE)

    async def fewer_than(self, messages):
        while len(self.client._persistent_storage.get_all()) >= messages:
            await asyncio.sleep(0)

    async def message(self):
        payload, qos, given = await asyncio.wait_for(self.messages.get(), PATIENCE)
        text = shown(payload, qos, given["retain"], given["dup"])
        if "content_type" not in given:
            return text, None
        return text, {
            "user": [list(pair) for pair in given["user_property"]],
            "content": given["content_type"][0],
            "response": given["response_topic"][0],
            "correlation": bytes(given["correlation_data"][0]).hex(),
            "expiry": 290 < given["message_expiry_interval"][0] <= 300,
            "subscription": given["subscription_identifier"],
        }

    async def disconnect(self):
        try:
            await self.client.disconnect()
        except ssl.SSLError:
            pass  # asyncio dislikes it when more comes in over TLS while it closes

    async def cut(self):
        self.client.stop_reconnect()
        self.client._is_active = False
        self.client._connection._transport.abort()

    def lose(self):
        """Loses the connection; the library makes another."""
        self.client._connection._transport.abort()


class Scenario:
    def __init__(self, via, port, version):
        self.via, self.port, self.version = via, port, version
        self.base = f"{LIBRARY}/{via}/{version}"
        self.standing = []

    async def client(self, name, kept=False, will=None, silent=False):
        library = Aiomqtt if LIBRARY == "aiomqtt" else Gmqtt
        client_id = f"{LIBRARY}-{self.via}-{self.version}-{name}"
        made = library(self.via, self.port, self.version, client_id, kept, will, silent)
        await made.open()
        self.standing.append(made)
        return made

    async def leave(self, client, cut=False):
        self.standing.remove(client)
        await (client.cut() if cut else client.disconnect())

    def say(self, step, seen):
        line = {"via": self.via, "version": self.version, "step": step, "seen": seen}
        print(json.dumps(line, separators=(",", ":")), flush=True)

    async def until(self, client, last):
        """What comes up to the payload that is known to be the last."""
        seen = []
        while not seen or not seen[-1].startswith(last):
            seen.append((await client.message())[0])
        return seen

    async def run(self):
        self.publisher = await self.client("publisher")
        for step in (Aiomqtt if LIBRARY == "aiomqtt" else Gmqtt).steps:
            if step != "properties" or self.version == 5:
                self.say(step, await asyncio.wait_for(getattr(self, step)(), 60))
        for client in list(self.standing):
            await self.leave(client)

    async def qos(self):
        receiver = await self.client("receiver")
        await receiver.subscribe(f"{self.base}/qos/#", 2)
        seen = []
        for qos in range(3):
            await self.publisher.publish(f"{self.base}/qos/{qos}", f"level {qos}", qos)
            seen.append((await receiver.message())[0])
        large = "x" * 100_000  # more than a TLS record, a WebSocket frame or a read
        await self.publisher.publish(f"{self.base}/qos/large", large, 1)
        return seen + [(await receiver.message())[0] == large + " q1"]

    async def retained(self):
        topic = f"{self.base}/retained"
        await self.publisher.publish(topic, "kept", 1, True)
        early = await self.client("early")
        await early.subscribe(topic, 1)
        seen = [(await early.message())[0]]
        await self.publisher.publish(topic, "", 1, True)
        late = await self.client("late")
        await late.subscribe(topic, 1)
        await self.publisher.publish(topic, "live", 1)
        return [seen, await self.until(late, "live")]

    async def will(self):
        watcher = await self.client("watcher")
        await watcher.subscribe(f"{self.base}/will", 1)
        await self.leave(await self.client("polite", will=f"{self.base}/will"))
        await self.leave(await self.client("dying", will=f"{self.base}/will"), cut=True)
        seen = await self.until(watcher, "gone")
        await self.publisher.publish(f"{self.base}/will", "last", 1)
        return seen + await self.until(watcher, "last")

    async def away(self):
        topic = f"{self.base}/away"
        first = await self.client("away", kept=True)
        await first.subscribe(topic, 2)
        await self.leave(first)
        for number in range(20):
            await self.publisher.publish(topic, str(number), 1 if number < 10 else 2)
        again = await self.client("away", kept=True)
        await self.publisher.publish(topic, "last", 2)
        # the first may have been sent before the broker saw the client leave
        seen = [text.removesuffix(" dup") for text in await self.until(again, "last")]
        return [first.present, again.present, seen]

    async def again(self):
        topic = f"{self.base}/again"
        silent = await self.client("again", kept=True, silent=True)
        await silent.subscribe(topic, 2)
        await self.publisher.publish(topic, "one", 1)
        await self.publisher.publish(topic, "two", 2)
        seen = [await self.until(silent, "two")]
        await self.leave(silent, cut=True)
        answering = await self.client("again", kept=True)
        await self.publisher.publish(topic, "three", 2)
        seen += [answering.present, await self.until(answering, "three")]
        await self.leave(answering)
        finished = await self.client("again", kept=True)
        await self.publisher.publish(topic, "four", 2)
        return seen + [finished.present, await self.until(finished, "four")]

    async def shared(self):
        members = [await self.client(f"member-{number}") for number in range(2)]
        for member in members:
            await member.subscribe(f"$share/group/{self.base}/shared", 1)
            await member.subscribe(f"{self.base}/end", 1)
        for number in range(30):
            await self.publisher.publish(f"{self.base}/shared", str(number), 1)
        await self.publisher.publish(f"{self.base}/end", "end", 1)
        parts = [(await self.until(member, "end"))[:-1] for member in members]
        numbers = sorted(int(text.removesuffix(" q1")) for part in parts for text in part)
        return {"each": all(parts), "all": numbers == list(range(30))}

    async def properties(self):
        receiver = await self.client("properties")
        await receiver.subscribe(f"{self.base}/properties", 1, 7)
        await self.publisher.publish(f"{self.base}/properties", "rich", 1, properties=True)
        return list(await receiver.message())

    async def lost(self):
        """A publisher that loses its connection while it waits for acknowledgements goes on by itself."""
        topic = f"{self.base}/lost"
        receiver = await self.client("lost-receiver")
        await receiver.subscribe(topic, 2)
        sending = await self.client("lost-sender", kept=True)
        for number in range(40):
            sending.client.publish(topic, str(number), qos=2)
        await asyncio.wait_for(sending.fewer_than(31), PATIENCE)
        sending.lose()
        await sending.acknowledged()
        await self.publisher.publish(topic, "last", 2)
        seen = await self.until(receiver, "last")
        return {"once": len(seen) == len(set(seen)), "all": len(seen)}


async def main():
    ways = dict(argument.split("=") for argument in sys.argv[3:])
    await asyncio.gather(
        *(Scenario(via, int(port), version).run() for via, port in ways.items() for version in (4, 5))
    )


asyncio.run(main())
