package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.OpenSections;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.settings.cluster.ClusterSection;
import io.godwit.broker.settings.cluster.RedirectSection;
import io.godwit.broker.settings.listener.MqttServerSection;
import io.godwit.broker.settings.store.StoreSection;
import io.godwit.broker.settings.tenant.TenantSection;
import java.util.Map;

/** The root of the configuration file. */
public record FileConfig(
        @ConfigKey(value = "true", text = """
                    Whether this node may create its stores in an empty data directory. With false, a node with
                    empty data refuses to start. In a cluster it may be true on every node: they begin one cluster
                    together (clusterConfig.foundAlone tells more), and one that comes later joins it.
                    """) boolean bootstrap,
        @Section MqttServerSection mqttServerConfig,
        @Section SessionSection sessionConfig,
        @Section(text = """
                    Who fails again and again is kept out for a time: answered 0x8A (MQTT 3.1.1: 5) or, when they
                    are many, closed at once. A source is an IPv4 address or the first 64 bits of an IPv6 address:
                    all behind one NAT, or behind a load balancer without PROXY protocol, are one. What stands stays
                    connected.
                    """) BanSection banConfig,
        @Section(text = """
                    When memory is short, new work is refused until there is enough again: connections and, of those
                    that stand, subscriptions and publishes (0x97). Under MQTT 3.1.1 a CONNECT is answered 3 and
                    publishers are not read; QoS 0 is discarded and counted. docs/operations.md tells more.
                    """) MemorySection memoryConfig,
        @Section(text = """
                    Who may connect, publish and subscribe; docs/security.md tells how. File names are relative to
                    this file.
                    """) AuthSection authConfig,
        @Section TopicSection topicConfig,
        @Section(text = """
                    Whose clients share nothing with those of others: topics, client ids, retained and delayed
                    messages, bans. docs/tenants.md tells how to begin.
                    """) TenantSection tenantConfig,
        @Section(text = """
                    The cluster that this node is one of. It is in one when host, clusterDomainName or seedEndpoints
                    says something; else it runs alone and opens no port for others. docs/cluster.md tells how to begin.
                    """) ClusterSection clusterConfig,
        @Section(text = """
                    Which clients are told to use another node of the cluster: asked at each CONNECT, after
                    authentication. docs/operations.md tells more.
                    """) RedirectSection redirectConfig,
        @Section(text = """
                    How the stores are cut into ranges, and these balanced over the nodes.
                    """) StoreSection storeConfig,
        @Section(text = """
                    Plugins that bring messages to other systems: docs/plugins.md tells more.
                    """) SubBrokerSection subBrokerConfig,
        @Section(text = """
                    The HTTP API: health, metrics, nodes, clients. docs/api.md tells how to use it. File names are
                    relative to this file.
                    """) ApiSection apiServerConfig,
        @Section(text = """
                    Pushes the meters of /metrics, with the same names and labels, to a collector by OTLP (protobuf
                    over HTTP). docs/metrics.md tells more. Off while url is empty. File names are relative to this
                    file.
                    """) OtlpSection otlpConfig,
        @Section(text = """
                    The plugins that are in use, by what they call themselves, beside those that authConfig and
                    storeConfig name. Their settings are in the section plugins. docs/plugins.md tells more.
                    """) PluginSection pluginConfig,
        @OpenSections(text = """
                    Settings of plugins, each plugin's under the name that it calls itself by: docs/plugins.md tells
                    more. As in

                        plugins:
                          ldap:
                            url: ldaps://directory.example.org
                            password: ${LDAP_PASSWORD}

                    The auth providers jwt, http and x509 come with the broker; docs/authentication.md has their keys.
                    As in

                        plugins:
                          jwt:
                            algorithms: [RS256]
                            jwksUrl: https://id.example.org/jwks
                            issuer: https://id.example.org
                            audience: [mqtt]
                          http:
                            connectUrl: https://auth.example.org/connect
                            aclUrl: https://auth.example.org/acl
                            headers: ["Authorization=Bearer ${AUTH_TOKEN}"]
                          x509:
                            user: common-name

                    A section for a plugin that is not in use, and a key that the plugin does not know, are errors.
                    Operators are shown no values. Needs a restart; there are no variables GODWIT_PLUGINS_...
                    """) Map<String, OpenSection> plugins) {

    public FileConfig {
        plugins = Map.copyOf(plugins);
    }
}
