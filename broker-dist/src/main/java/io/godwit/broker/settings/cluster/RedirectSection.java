package io.godwit.broker.settings.cluster;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.settings.listener.ListenerChecks;

/** {@code redirectConfig}. */
public record RedirectSection(
        @ConfigKey(text = """
                    by-connections: clients are sent away while this node has more connections than the others; or
                    the name of a plugin. Empty: every client is served where it comes.
                    """) String balancer,

        @ConfigKey(check = ListenerChecks.ServerReference.class, text = """
                    What clients reach this node by, such as node1.example.org:1883. The other nodes tell it to those
                    that they send here; while it is empty they send none.
                    """)
        String serverReference,

        @ConfigKey(value = "20", min = 1, max = 1_000, text = """
                    Of by-connections: how many percent more connections than the mean of all nodes this node has
                    before it sends clients away, and how many connections at least.
                    """)
        int abovePercent,

        @ConfigKey(value = "1000", min = 0) int leastConnections,

        @ConfigKey(value = "let-in", text = """
                    What becomes of clients before MQTT 5.0, which cannot be told another server: let-in, and the
                    balancer is not asked; or refuse, when the balancer would send them away (return code 3).
                    """) OlderClients olderClients,

        @ConfigKey(value = "500", min = 10, max = 10_000, text = """
                    A plugin that does not answer in this time, or fails, lets the client in.
                    """)
        int timeoutMillis) {}
