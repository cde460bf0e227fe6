package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.settings.tenant.TenantChecks;
import io.godwit.dist.client.SharedPick;

/** The keys of listeners of every kind. */
public record ListenerKeys(
        @ConfigKey(text = """
                    The address to bind. Empty: all addresses when authConfig names a provider, else loopback only,
                    because then anybody who reaches the broker may use it. 0.0.0.0 is all addresses in any case.
                    """) String host,

        @ConfigKey(check = ListenerChecks.MountPoint.class, text = """
                    What stands before every topic of this listener's clients, who neither see it nor get beyond it:
                    tenants/%u/ for example. It ends with a /. %c is the client id, %u the user name; a client that
                    has none, or one with a /, + or #, is refused, and one with a $ in front where that would be the
                    first of the topic. %u keeps clients apart only where user names are verified. Below a mount
                    point no topic begins with $: a publish to one is refused (0x87), and what others publish there
                    is not delivered. A session with filters from elsewhere is not resumed but begun anew.
                    """)
        String mountPoint,

        @ConfigKey(from = "sessionConfig.sharedSubscriptionStrategy", text = """
                    How shared subscriptions choose for messages that come through this listener. Empty: as
                    sessionConfig.sharedSubscriptionStrategy says. What sessionConfig.sharedGroupStrategies says of
                    a group goes before it.
                    """)
        SharedPick sharedSubscriptionStrategy,

        @ConfigKey(check = TenantChecks.Name.class, text = """
                    The tenant that the clients of this listener belong to. Empty: it says nothing about that.
                    """)
        String tenant,

        @Section(inline = true, from = "mqttServerConfig", text = """
                    Limits of this listener's connections. Empty: what is said above for all.
                    """)
        ConnectionLimits limits,

        @Section(text = """
                    The PROXY protocol, version 1 or 2: behind a proxy or load balancer, limits, events and plugins
                    see the client's own address.
                    """) ProxyProtocolSection proxyProtocol) {}
