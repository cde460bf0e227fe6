package io.godwit.broker.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.Effective;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.ListenerKind;
import io.godwit.broker.effective.ListenerSection;
import io.godwit.broker.settings.DeniedPublish;
import io.godwit.broker.settings.OverflowPolicy;
import io.godwit.cluster.config.HostPort;
import io.godwit.dist.client.SharedPick;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.mqtt.MqttConfig;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.topic.AutoSubscription;
import io.godwit.mqtt.topic.RewriteRule;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.plugin.message.Qos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigLoaderTest {
    @TempDir
    Path directory;

    @Test
    void emptyFileGivesTheDefaults() throws Exception {
        BrokerConfig config = load("", Map.of());

        assertThat(config.effective()).hasSizeGreaterThan(100).allMatch(Effective::isDefault);
        assertThat(config.mqtt().connections().maxConnBandwidth()).isEqualTo(524_288);
        assertThat(config.mqtt().connections().maxPacketBytes()).isEqualTo(2 * 1024 * 1024);
        assertThat(config.properties().distVoters()).isEqualTo(3);
    }

    /** An operator who has set the token for godwit-admin starts a broker from the same shell. */
    @Test
    void variablesOfTheScriptsAreNoKeys() throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), "");
        Map<String, String> environment = Map.of(
                "GODWIT_TOKEN", "gdw_1",
                "GODWIT_CACHE", "off",
                "GODWIT_TRAINING", "off",
                "GODWIT_START_TIMEOUT_SECONDS", "60");
        assertThat(ConfigLoader.load(file, Map.of(), environment).effective()).allMatch(Effective::isDefault);
        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of(), Map.of("GODWIT_TOKENS", "gdw_1")))
                .isInstanceOf(ConfigException.class);
    }

    /** The shipped file is the reference users read. */
    @Test
    void shippedFileNamesEveryKeyWithItsDefault() throws Exception {
        BrokerConfig config = ConfigLoader.load(Path.of("..", "conf", "standalone.yml"), Map.of());

        assertThat(config.effective())
                .filteredOn(key -> !key.path().endsWith("Listener.enable"))
                .hasSizeGreaterThan(150)
                .allMatch(Effective::isDefault);
        assertThat(config.listeners())
                .extracting(ListenerSection::kind)
                .containsExactlyInAnyOrder(ListenerKind.values());
        assertThat(config.listeners()).allMatch(section -> section.isEnabled() == (section.kind() == ListenerKind.TCP));
    }

    @Test
    void ratesOfCopiesAndOfReclaimingAreSystemProperties() throws Exception {
        String clustered = "clusterConfig: {seedEndpoints: 127.0.0.1:8899}";
        KvNodeConfig usual = BrokerSettings.node(load(clustered, Map.of()), directory);
        assertThat(usual.reclaimBytesPerSecond()).isEqualTo(RocksResources.RECLAIM_BYTES_PER_SECOND);
        assertThat(usual.cluster().raft()).isEqualTo(RaftSettings.DEFAULT);
        KvNodeConfig given = BrokerSettings.node(
                load(
                        clustered,
                        Map.of("kv_snapshot_bytes_per_second", "2000000", "kv_reclaim_bytes_per_second", "3000000")),
                directory);
        assertThat(given.reclaimBytesPerSecond()).isEqualTo(3_000_000);
        assertThat(given.cluster().raft()).isEqualTo(RaftSettings.DEFAULT.sendingAt(2_000_000));
        assertThatThrownBy(() -> load(
                        "",
                        Map.of(
                                "kv_snapshot_bytes_per_second",
                                "1000",
                                "kv_reclaim_bytes_per_second",
                                "0",
                                "kv_reclaim_bytes_per_secnd",
                                "3000000")))
                .hasMessageContainingAll(
                        "kv_snapshot_bytes_per_second: must be",
                        "kv_reclaim_bytes_per_second: must be",
                        "kv_reclaim_bytes_per_secnd: unknown system property, the nearest valid one is "
                                + "kv_reclaim_bytes_per_second");
    }

    @Test
    void everyKeyIsRead() throws Exception {
        BrokerConfig config = load("""
                bootstrap: false
                mqttServerConfig:
                  maxConnBandwidth: 0
                  maxPublishRate: 50
                  maxPacketBytes: 268435455
                  maxConnectBytes: 1000
                  maxConnectUserProperties: 2
                  maxUserProperties: 3
                  maxHalfReceivedBytes: 2000000
                  connectTimeoutSeconds: 5
                  maxConnections: 1000
                  maxConnectionsPerSource: 100
                  connectRate: 50
                  connectRatePerSource: 10
                  receiveMaximum: 10
                  sendMaximum: 20
                  topicAliasMaximum: 0
                  maxClientIdBytes: 100
                  maxTopicLevels: 20
                  maxTopicBytes: 4000
                  maxFiltersPerSubscribe: 30
                  serverKeepAliveSeconds: 30
                  eventLoops: 3
                  packEventLoops: false
                sessionConfig:
                  maxQueuedMessages: 7
                  maxQueuedBytes: 5000
                  maxQueuedQos0Bytes: 6000
                  maxFilters: 40
                  maxFilterPatterns: 50
                  slowConsumerTimeoutSeconds: 50
                  overflowPolicy: drop-oldest
                  queueQos0: false
                  maxExpirySeconds: 60
                  sharedSubscriptionStrategy: round-robin
                  sharedGroupStrategies: billing=sticky, a=b=hash-by-topic ,$queue=local-first
                banConfig:
                  maxFailedLoginsPerSource: 1
                  maxViolationsPerSource: 2
                  maxFlapsPerSource: 3
                  maxFlapsPerClientId: 4
                  flapSeconds: 6
                  windowSeconds: 7
                  banSeconds: 8
                memoryConfig: {maxHeapPercent: 70, maxDirectPercent: 0}
                authConfig:
                  provider: file
                  file: users
                  aclFile: /etc/rules
                  allowAnonymous: true
                  deniedPublish: disconnect
                  sessionsBelongToUsers: false
                  timeoutSeconds: 3
                  passwordThreads: 2
                  passwordQueue: 9
                  passwordCacheSeconds: 0
                topicConfig:
                  rewrite:
                    - publish a/# ^a/(.{1,3})$ b/$1
                    - all c/# ^c d/%c
                  autoSubscriptions: clients/%c/# 1
                  exclusiveSubscriptions: true
                  delayedPublish: {maxSeconds: 3600, maxMessages: 5}
                  sysIntervalSeconds: 10
                clusterConfig:
                  env: prod
                  host: 10.0.0.1
                  port: 9000
                  clusterDomainName: godwit.example
                  seedEndpoints: a:8899, 10.0.0.2:8900
                  rpcPort: 9100
                  zone: rack-1
                  tls: {plain: true}
                """, Map.of("inbox_store_initial_ranges", "8", "java.version", "17"));

        assertThat(config.bootstrap()).isFalse();
        assertThat(config.mqtt().connections().maxConnBandwidth()).isZero();
        assertThat(config.mqtt().connections().maxPacketBytes()).isEqualTo(268_435_455);
        assertThat(config.mqtt().connections().connectTimeoutSeconds()).isEqualTo(5);
        assertThat(config.mqtt().connections().maxConnections()).isEqualTo(1000);
        assertThat(config.mqtt().connections().maxConnectionsPerSource()).isEqualTo(100);
        assertThat(config.mqtt().connections().connectRate()).isEqualTo(50);
        assertThat(config.mqtt().connections().connectRatePerSource()).isEqualTo(10);
        assertThat(config.mqtt().receiveMaximum()).isEqualTo(10);
        assertThat(config.mqtt().topicAliasMaximum()).isZero();
        assertThat(config.mqtt().serverKeepAliveSeconds()).isEqualTo(30);
        assertThat(config.mqtt().eventLoops()).isEqualTo(3);
        assertThat(config.mqtt().packEventLoops()).isFalse();
        assertThat(config.sessions().maxQueuedMessages()).isEqualTo(7);
        assertThat(config.sessions().overflowPolicy()).isEqualTo(OverflowPolicy.DROP_OLDEST);
        assertThat(config.sessions().queueQos0()).isFalse();
        assertThat(config.sessions().maxExpirySeconds()).isEqualTo(60);
        assertThat(config.sessions().sharedSubscriptionStrategy()).isEqualTo(SharedPick.ROUND_ROBIN);
        assertThat(config.sessions().sharedGroupStrategies())
                .isEqualTo(Map.of(
                        "billing", SharedPick.STICKY,
                        "a=b", SharedPick.HASH_BY_TOPIC,
                        "$queue", SharedPick.LOCAL_FIRST));
        assertThat(config.auth().provider()).isEqualTo("file");
        assertThat(config.auth().file()).isEqualTo("users");
        assertThat(config.auth().aclFile()).isEqualTo("/etc/rules");
        assertThat(config.auth().allowAnonymous()).isTrue();
        assertThat(config.auth().deniedPublish()).isEqualTo(DeniedPublish.DISCONNECT);
        assertThat(config.auth().sessionsBelongToUsers()).isFalse();
        assertThat(config.auth().timeoutSeconds()).isEqualTo(3);
        assertThat(config.auth().passwordThreads()).isEqualTo(2);
        assertThat(config.auth().passwordQueue()).isEqualTo(9);
        assertThat(config.auth().passwordCacheSeconds()).isZero();
        assertThat(config.topics().rewrite())
                .extracting(RewriteRule::replacement)
                .containsExactly("b/$1", "d/%c");
        assertThat(config.topics().autoSubscriptions())
                .containsExactly(new AutoSubscription("clients/%c/#", Qos.AT_LEAST_ONCE));
        assertThat(config.topics().exclusiveSubscriptions()).isTrue();
        assertThat(config.topics().delayedPublish().maxSeconds()).isEqualTo(3600);
        assertThat(config.topics().delayedPublish().maxMessages()).isEqualTo(5);
        assertThat(config.topics().sysIntervalSeconds()).isEqualTo(10);
        assertThat(config.cluster().env()).isEqualTo("prod");
        assertThat(config.cluster().host()).isEqualTo("10.0.0.1");
        assertThat(config.cluster().port()).isEqualTo(9000);
        assertThat(config.cluster().clusterDomainName()).isEqualTo("godwit.example");
        assertThat(config.cluster().seedEndpoints())
                .containsExactly(new HostPort("a", 8899), new HostPort("10.0.0.2", 8900));
        assertThat(config.cluster().rpcPort()).isEqualTo(9100);
        assertThat(config.cluster().zone()).isEqualTo("rack-1");
        assertThat(config.cluster().tls().plain()).isTrue();
        assertThat(config.properties().initialRanges()).isEqualTo(8);

        MqttConfig mqtt = BrokerSettings.mqtt(config);
        assertThat(mqtt.transport().maxHalfReceivedBytes()).isEqualTo(2_000_000);
        assertThat(mqtt.transport().decodeLimits()).isEqualTo(new DecodeLimits(1_000, 2, 3, 10_000));
        assertThat(mqtt.memory()).isEqualTo(new MemoryConfig(70, 0, Duration.ofMillis(500)));
        assertThat(mqtt.bans())
                .isEqualTo(
                        new BanConfig(1, 2, 3, 4, Duration.ofSeconds(6), Duration.ofSeconds(7), Duration.ofSeconds(8)));
        assertThat(mqtt.session().queue().maxBytes()).isEqualTo(5_000);
        assertThat(BrokerSettings.inbox(config).maxQueuedQos0Bytes()).isEqualTo(6_000);
        assertThat(mqtt.session().windows().sendWindow()).isEqualTo(20);
        assertThat(mqtt.session().times().slowConsumerTimeout()).isEqualTo(50);
        assertThat(mqtt.session().maxClientIdBytes()).isEqualTo(100);
        assertThat(mqtt.session().limits()).isEqualTo(new TopicLimits(20, 4000, 30, 40, 50));
        assertThat(mqtt.listeners().get(0).limits().maxPublishRate()).isEqualTo(50);
    }

    /** A minimal file of a cluster user is accepted unchanged, including blanks. */
    @Test
    void minimalClusterFileIsAccepted() throws Exception {
        BrokerConfig config = load("""
                bootstrap: true
                mqttServerConfig:
                  tcpListener:
                    port: 1883
                clusterConfig:
                  env:
                  host:
                  port: 8899
                  clusterDomainName:
                  seedEndpoints: a:8899,b:8899
                """, Map.of());

        assertThat(config.cluster().seedEndpoints()).hasSize(2);
        assertThat(config.cluster().env()).isEmpty();
    }

    @Test
    void allErrorsAreToldTogetherWithTheNearestKey() {
        List<String> errors = errors("""
                mqttServerConfg:
                  tcpListener: {port: 1883}
                mqttServerConfig:
                  maxConnBandwith: 1
                  tcpListener:
                    port: 70000
                  receiveMaximum: many
                sessionConfig: 5
                bootstrap: yes
                clusterConfig:
                  seedEndpoints: a:8899,b
                """, Map.of("inbox_store_initial_range", "4", "kv_log_sync", "maybe"));

        assertThat(errors)
                .anyMatch(e -> e.startsWith("mqttServerConfg:") && e.endsWith("mqttServerConfig"))
                .anyMatch(e -> e.contains("maxConnBandwith") && e.endsWith("mqttServerConfig.maxConnBandwidth"))
                .anyMatch(
                        e -> e.startsWith("mqttServerConfig.tcpListener.port: must be from 0 to 65535, was \"70000\""))
                .anyMatch(e -> e.startsWith("mqttServerConfig.receiveMaximum: must be a whole number"))
                .anyMatch(e -> e.startsWith("sessionConfig: must hold keys"))
                .anyMatch(e -> e.startsWith("bootstrap: must be true or false, was \"yes\" (line 9)"))
                .anyMatch(e -> e.startsWith("clusterConfig.seedEndpoints:"))
                .anyMatch(e -> e.startsWith("inbox_store_initial_range:") && e.endsWith("inbox_store_initial_ranges"))
                .anyMatch(e -> e.startsWith("kv_log_sync: must be true or false"))
                .hasSize(9);
    }

    @Test
    void aGroupsStrategyMustBeKnownAndNamedOnce() {
        assertThat(errors("sessionConfig:\n  sharedGroupStrategies: g=best\n", Map.of()))
                .singleElement()
                .asString()
                .contains("must be one of random, round-robin, sticky, hash-by-client, hash-by-topic, local-first");
        assertThat(errors("sessionConfig:\n  sharedGroupStrategies: g=random,g=sticky\n", Map.of()))
                .singleElement()
                .asString()
                .contains("must name g once");
        assertThat(errors("sessionConfig:\n  sharedGroupStrategies: sticky\n", Map.of()))
                .singleElement()
                .asString()
                .contains("must be name=value");
    }

    @Test
    void keyGivenTwiceIsRefused() {
        assertThat(errors("bootstrap: true\nbootstrap: false\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("bootstrap: given twice (line 2)");
    }

    @Test
    void brokenYamlAndMissingFileAreErrorsNotTraces() {
        assertThat(errors("a: [", Map.of())).singleElement().asString().contains("not valid YAML:\n", "line 1, column");
        ConfigException missing = catchThrowableOfType(
                ConfigException.class, () -> ConfigLoader.load(directory.resolve("none.yml"), Map.of()));
        assertThat(missing.errors()).singleElement().asString().contains("no such configuration file");
    }

    /** For the log: the shipped file, which lists every key, changes nothing. */
    @Test
    void whatDiffersFromTheDefaultsIsTold() throws Exception {
        Path shipped = Path.of("..", "conf", "standalone.yml");
        assertThat(ConfigLoader.load(shipped, Map.of()).changes()).isEmpty();

        assertThat(load("""
                                bootstrap: true
                                mqttServerConfig:
                                  maxConnections: 7
                                  tcpListener:
                                  - {port: 1883}
                                  - {port: 1884, maxConnections: 8, host: 127.0.0.1}
                                sessionConfig: {overflowPolicy: drop-oldest}
                                """, Map.of("kv_log_sync", "false")).changes())
                .extracting(Effective::toString)
                .containsExactlyInAnyOrder(
                        "mqttServerConfig.maxConnections=7",
                        "sessionConfig.overflowPolicy=drop-oldest",
                        "kv_log_sync=false",
                        "mqttServerConfig.tcpListener[1].port=1884",
                        "mqttServerConfig.tcpListener[1].maxConnections=8",
                        "mqttServerConfig.tcpListener[1].host=127.0.0.1");
    }

    private List<String> errors(String yaml, Map<String, String> properties) {
        return catchThrowableOfType(ConfigException.class, () -> load(yaml, properties))
                .errors();
    }

    private BrokerConfig load(String yaml, Map<String, String> properties) throws ConfigException, IOException {
        Path file = directory.resolve("test.yml");
        Files.writeString(file, yaml);
        return ConfigLoader.load(file, properties);
    }
}
