package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.key.Unit;

/** {@code apiServerConfig}. */
public record ApiSection(
        @ConfigKey(value = "true", text = """
                    Whether the API is there. Brokers of one machine need a port each; the broker does not start when
                    the port is taken.
                    """) boolean enable,

        @ConfigKey(value = "127.0.0.1", text = """
                    The address to bind. Without a tokensFile it must be a loopback address, and only programs of the
                    broker's own user, and of root, are answered there.
                    """) String host,

        @ConfigKey(value = "8091", min = 0, max = 65_535, text = "0 = any free port, printed at start.")
        int port,

        @ConfigKey(text = """
                    Who may use the API, edited by bin/godwit-admin token. Noticed when it changes. Empty: see host.
                    """) String tokensFile,

        @Section ApiTlsSection tls,

        @ConfigKey(value = "256", min = 1, max = 100_000, text = """
                    Connections open at once, in all and from one address (of IPv6: from one 64-bit prefix). One more
                    gets the place of a connection without a valid token, or is closed.
                    """)
        int maxConnections,

        @ConfigKey(value = "64", min = 1, max = 100_000) int maxConnectionsPerAddress,

        @ConfigKey(
                value = "64KB",
                min = 1_024,
                max = 16_777_216,
                unit = Unit.BYTES,
                text = "The largest body of a request.")
        int maxBodyBytes,

        @ConfigKey(value = "1000", min = 1, max = 1_000_000, text = """
                    Requests a second of all callers together, and of one address or token. More are answered 429.
                    """)
        int maxRequestRate,

        @ConfigKey(value = "100", min = 1, max = 1_000_000) int maxRequestRatePerCaller,

        @ConfigKey(value = "10", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long the head of a request may take, and its body; how long a connection may rest between
                    requests; how long the answer may take, after which it is a problem document. Nodes that do not
                    answer in most of that time are named in the answer.
                    """)
        int headTimeoutSeconds,

        @ConfigKey(value = "60", min = 1, max = 3_600, unit = Unit.SECONDS)
        int idleTimeoutSeconds,

        @ConfigKey(value = "10", min = 1, max = 3_600, unit = Unit.SECONDS)
        int requestTimeoutSeconds,

        @ConfigKey(value = "false", text = """
                    Whether each answer is compared with the document of the API, and is a 500 when it differs: for
                    those who change the broker.
                    """) boolean checkAnswers) {}
