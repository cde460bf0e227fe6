package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.key.Unit;
import java.util.List;

/** {@code mqttServerConfig}. */
public record MqttServerSection(
        @Section(inline = true) ConnectionLimits connections,

        @ConfigKey(value = "64KB", min = 256, max = 268_435_455, unit = Unit.BYTES, reload = true, text = """
                    The largest CONNECT, in bytes. Its sender has not logged in yet. A will with a larger payload
                    needs more.
                    """)
        int maxConnectBytes,

        @ConfigKey(value = "100", min = 0, reload = true, text = """
                    User properties of a CONNECT, those of its will included, and of any other packet. Each takes
                    far more memory than on the wire. A packet with more is refused (0x97) and its connection
                    closed.
                    """)
        int maxConnectUserProperties,

        @ConfigKey(value = "1000", min = 0, reload = true) int maxUserProperties,

        @ConfigKey(value = "64MB", min = 1 << 20, orZero = true, unit = Unit.BYTES, text = """
                    Room for large packets that have arrived in part or are being stored, in bytes over all
                    connections; 0 = no limit. Memory is taken as bytes arrive; a packet of more than 4 KiB that
                    needs several reads and finds no room for the whole of it is read later. One larger than a
                    quarter of the room is read beside it, one of these at a time. At least 1048576; an eighth of it
                    is for CONNECT packets, and a larger CONNECT is cut off. docs/operations.md tells more.
                    """)
        long maxHalfReceivedBytes,

        @ConfigKey(value = "1000", min = 1, max = 65_535, reload = true, text = """
                    QoS 1 and 2 publishes that one client may have under way towards the broker (Receive Maximum in
                    CONNACK).
                    """)
        int receiveMaximum,

        @ConfigKey(value = "1000", min = 1, max = 65_535, reload = true, text = """
                    QoS 1 and 2 publishes that the broker has under way towards one client, at most; a client may
                    ask for fewer.
                    """)
        int sendMaximum,

        @ConfigKey(value = "16", min = 0, max = 65_535, reload = true, text = """
                    Topic aliases a client may use towards the broker (Topic Alias Maximum in CONNACK); 0 = none.
                    """)
        int topicAliasMaximum,

        @ConfigKey(value = "1KB", min = 23, max = 65_535, unit = Unit.BYTES, reload = true, text = """
                    UTF-8 bytes of a client id; a longer one is refused (0x85; under MQTT 3.1.1 return code 2). What
                    goes to another node names its client each time, so long ids take the room of messages there.
                    """)
        int maxClientIdBytes,

        @ConfigKey(value = "1000", min = 1, max = 65_536, reload = true, text = """
                    Levels and UTF-8 bytes of a topic or filter, as the client says it. A publish over it is refused
                    (0x90; under MQTT 3.1.1 the connection is closed), a subscription too (0x8F; 0x80).
                    """)
        int maxTopicLevels,

        @ConfigKey(value = "65535", min = 1, max = 65_535, unit = Unit.BYTES, reload = true)
        int maxTopicBytes,

        @ConfigKey(value = "10000", min = 1, reload = true, text = """
                    Filters in one SUBSCRIBE; those beyond are refused (0x97; under MQTT 3.1.1 0x80). A SUBSCRIBE or
                    an UNSUBSCRIBE with more than 10000, or than this when it is more, is refused as a whole (0x97)
                    and its connection closed.
                    """)
        int maxFiltersPerSubscribe,

        @ConfigKey(value = "0", min = 0, max = 65_535, unit = Unit.SECONDS, reload = true, text = """
                    Keep-alive that the broker imposes on clients of MQTT 5.0, in seconds; 0 = what the client asked
                    for.
                    """)
        int serverKeepAliveSeconds,

        @ConfigKey(check = ListenerChecks.ServerReference.class, text = """
                    Another broker, or several with blanks between them, such as node2.example.org:1883: clients of
                    MQTT 5.0 that are told to go, since this one stops or is drained, are told to use it for a while
                    (0x9C with this Server Reference); empty = they are told that the server shuts down (0x8B).
                    """)
        String serverReference,

        @ConfigKey(value = "0", min = 0, max = 1_024, text = """
                    Event loops that serve connections, each with a thread; 0 = one per core.
                    """)
        int eventLoops,

        @ConfigKey(value = "true", text = """
                    While there is little to do, one thread runs several event loops, so that what one hands to
                    another wakes nobody, which saves CPU. As soon as a thread has hardly a pause, loops have their
                    own again. false = they always have (Linux with epoll only; elsewhere it has no effect).
                    """) boolean packEventLoops,
        @Section(needed = true, text = """
                    Where clients connect. Each section may also be a list of such, for several listeners of the
                    kind; no two listeners may have the same address and port. Without tcpListener there is the one
                    below; the other kinds are off unless given.
                    """) List<TcpListener> tcpListener,

        @Section(text = "MQTT over TLS. It has the keys of tcpListener too.")
        List<TlsListener> tlsListener,

        @Section(text = """
                    MQTT over WebSocket (subprotocol mqtt or mqttv3.1). It has the keys of tcpListener too.
                    """) List<WsListener> wsListener,
        @Section(text = """
                    MQTT over WebSocket over TLS. It has the keys of tlsListener and wsListener too.
                    """) List<WssListener> wssListener) {}
