package io.godwit.broker.conversion;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.jspecify.annotations.Nullable;

/**
 * The keys of BifroMQ's {@code standalone.yml}, of versions 1 to 3 and of version 4, with our counterparts. Keys of
 * version 4 below {@code mqttServiceConfig.server} are looked up below {@code mqttServerConfig}.
 */
public final class BifromqKeys {
    private static final String NOTHING = "there is no such setting here";
    private static final String THREADS = NOTHING + ": threads follow the number of cores";
    private static final String STORES = NOTHING + ": the stores have settings of their own, storeConfig";
    private static final String OLD_MQTT = "mqttServerConfig";
    private static final String NEW_MQTT = "mqttServiceConfig.server";
    /** Keys that name plugins. */
    private static final List<String> OF_PLUGINS = List.of(
            "authProviderFQN",
            "clientBalancerFQN",
            "resourceThrottlerFQN",
            "settingProviderFQN",
            "mqttServerConfig.userPropsCustomizerFactoryConfig");

    private static final int TYPOS = 2;
    private static final LevenshteinDistance DISTANCE = new LevenshteinDistance(TYPOS); // -1 if there are more

    /** Our counterpart, by path, for keys that have one. */
    private static final Map<String, String> OURS = ours();
    /** An explanation for the other keys, by the path of the key or of a section around it; the longest path counts. */
    private static final Map<String, String> WITHOUT = without();

    private BifromqKeys() {}

    private static Map<String, String> ours() {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("bootstrap", "bootstrap");
        for (String key : new String[] {"env", "host", "port", "seedEndpoints", "clusterDomainName"}) {
            keys.put("clusterConfig." + key, "clusterConfig." + key);
        }
        keys.put("rpcServerConfig.port", "clusterConfig.rpcPort");
        keys.put("rpcConfig.port", "clusterConfig.rpcPort");
        for (String[] file :
                new String[][] {{"certFile", "certFile"}, {"keyFile", "keyFile"}, {"trustCertsFile", "trustCertsFile"}
                }) {
            keys.put("rpcServerConfig.sslConfig." + file[0], "clusterConfig.tls." + file[1]);
            keys.put("rpcConfig.serverSSLConfig." + file[0], "clusterConfig.tls." + file[1]);
        }
        keys.put("mqttServerConfig.connTimeoutSec", "mqttServerConfig.connectTimeoutSeconds");
        keys.put("mqttServerConfig.maxConnPerSec", "mqttServerConfig.connectRate");
        keys.put("mqttServerConfig.maxMsgByteSize", "mqttServerConfig.maxPacketBytes");
        keys.put("mqttServerConfig.maxConnBandwidth", "mqttServerConfig.maxConnBandwidth");
        keys.put("mqttServerConfig.workerELGThreads", "mqttServerConfig.eventLoops");
        for (String listener : new String[] {"tcpListener", "tlsListener", "wsListener", "wssListener"}) {
            String at = "mqttServerConfig." + listener + ".";
            for (String key : new String[] {"enable", "host", "port"}) {
                keys.put(at + key, at + key);
            }
            if (listener.startsWith("ws")) {
                keys.put(at + "wsPath", at + "wsPath");
            }
            if (listener.equals("tlsListener") || listener.equals("wssListener")) {
                for (String key : new String[] {"certFile", "keyFile", "trustCertsFile", "clientAuth"}) {
                    keys.put(at + "sslConfig." + key, at + "sslConfig." + key);
                }
            }
        }
        keys.put("apiServerConfig.enable", "apiServerConfig.enable");
        keys.put("apiServerConfig.host", "apiServerConfig.host");
        keys.put("apiServerConfig.httpPort", "apiServerConfig.port");
        return keys;
    }

    private static Map<String, String> without() {
        Map<String, String> keys = new LinkedHashMap<>();
        String plugin = ", and names a plugin that is written against plugin-api of this broker (docs/plugins.md)";
        keys.put("authProviderFQN", "here it is authConfig.provider" + plugin);
        keys.put("clientBalancerFQN", "here it is redirectConfig.balancer" + plugin);
        keys.put("resourceThrottlerFQN", "here it is tenantConfig.resourceThrottler" + plugin);
        keys.put("settingProviderFQN", "here it is tenantConfig.settingsProvider" + plugin);
        keys.put("bgTaskThreads", THREADS);
        keys.put("clusterConfig", NOTHING);
        keys.put(
                "mqttServerConfig.maxDisconnPerSec",
                NOTHING + ": bin/standalone.sh stop --drain SECONDS spreads disconnects over a time");
        keys.put(
                "mqttServerConfig.defaultKeepAliveSec",
                NOTHING + ": a client without a keep-alive has none, unless mqttServerConfig.serverKeepAliveSeconds"
                        + " imposes one");
        String resends = NOTHING + ": nothing is sent again while a connection is open [MQTT5-4.4.0-1]";
        keys.put("mqttServerConfig.maxResendTimes", resends);
        keys.put("mqttServerConfig.resendDelayMillis", resends);
        keys.put("mqttServerConfig.resendTimeoutMillis", resends);
        keys.put("mqttServerConfig.qos2ConfirmWindowSec", NOTHING + ": QoS 2 is confirmed without a window");
        keys.put("mqttServerConfig.bossELGThreads", THREADS);
        keys.put(
                "mqttServerConfig.userPropsCustomizerFactoryConfig",
                "here it is pluginConfig.userProperties" + plugin + "; its settings are a section of plugins");
        keys.put("mqttServerConfig", "here it is mqttServerConfig");
        keys.put("mqttServiceConfig", "here it is mqttServerConfig");
        keys.put("rpcServerConfig", "here it is clusterConfig.rpcPort and clusterConfig.tls");
        keys.put("rpcServerConfig.host", "here it is clusterConfig.host");
        keys.put("rpcServerConfig.workerThreads", THREADS);
        keys.put("rpcConfig", "here it is clusterConfig.rpcPort and clusterConfig.tls");
        keys.put("rpcConfig.host", "here it is clusterConfig.host");
        keys.put("rpcConfig.clientEventLoopThreads", THREADS);
        keys.put("rpcConfig.serverEventLoopThreads", THREADS);
        String oneCertificate = "here it is clusterConfig.tls: a node has one certificate for both directions";
        keys.put("rpcConfig.clientSSLConfig", oneCertificate);
        keys.put("rpcClientConfig", NOTHING);
        keys.put("rpcClientConfig.sslConfig", oneCertificate);
        keys.put("rpcClientConfig.workerThreads", THREADS);
        keys.put("baseKVRpcConfig", NOTHING + ": stores have no port of their own");
        keys.put("baseKVClientConfig", NOTHING + ": stores have no port of their own");
        keys.put("baseKVServerConfig", NOTHING + ": stores have no port of their own");
        keys.put("stateStoreConfig", STORES);
        keys.put("distServiceConfig", STORES);
        keys.put("inboxServiceConfig", STORES);
        keys.put("retainServiceConfig", STORES);
        keys.put("inboxStoreConfig", STORES);
        keys.put("retainStoreConfig", STORES);
        keys.put("sessionDictServiceConfig", NOTHING);
        keys.put("apiServerConfig", NOTHING);
        keys.put("apiServerConfig.apiBossThreads", THREADS);
        keys.put("apiServerConfig.apiWorkerThreads", THREADS);
        keys.put("apiServerConfig.workerThreads", THREADS);
        keys.put("apiServerConfig.maxContentLength", "here it is apiServerConfig.maxBodyBytes");
        keys.put("apiServerConfig.httpsListenerConfig", "here it is apiServerConfig.tls");
        keys.put("apiServerConfig.enableSSL", "here it is apiServerConfig.tls");
        keys.put("apiServerConfig.sslConfig", "here it is apiServerConfig.tls");
        return keys;
    }

    /** The path with the section of version 4 replaced by that of earlier versions. */
    static String normal(String path) {
        return path.equals(NEW_MQTT) || path.startsWith(NEW_MQTT + ".")
                ? OLD_MQTT + path.substring(NEW_MQTT.length())
                : path;
    }

    /** Our key with the same meaning, at least approximately; null if there is none. */
    static @Nullable String ours(String path) {
        // the largest packet before version 4, since then the largest CONNECT
        return path.equals(NEW_MQTT + ".maxMsgByteSize") ? "mqttServerConfig.maxConnectBytes" : OURS.get(normal(path));
    }

    /** For a key without a counterpart: the reason, or the closest feature. */
    static @Nullable String without(String path) {
        String known = normal(path);
        for (String at = known; !at.isEmpty(); at = parent(at)) {
            String found = WITHOUT.get(at);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static String parent(String path) {
        int dot = path.lastIndexOf('.');
        return dot < 0 ? "" : path.substring(0, dot);
    }

    /**
     * The message for a key that is not ours: its counterpart here. A key that names plugins is known in any section
     * and with up to two wrong characters, since the nearest of our keys would be an unrelated one.
     *
     * @return empty if it is no key of BifroMQ either
     */
    public static String answer(String path) {
        String ours = ours(path);
        if (ours != null && !ours.equals(path)) {
            return "here it is " + ours;
        }
        String known = WITHOUT.get(normal(path));
        if (known == null) {
            return ofPlugins(path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        }
        return known.equals("here it is " + path) || path.equals("clusterConfig") ? "" : known;
    }

    private static String ofPlugins(String name) {
        for (String key : OF_PLUGINS) {
            String theirs = key.substring(key.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
            if (DISTANCE.apply(name, theirs) >= 0) {
                return WITHOUT.getOrDefault(key, "");
            }
        }
        return "";
    }
}
