package io.godwit.mqtt.transport.config;

import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.transport.tls.TlsConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One listener.
 *
 * @param address where to listen; port 0 means any free one
 * @param tls null for none
 * @param webSocketPath the path of the HTTP request that opens a WebSocket; null for MQTT without WebSocket
 * @param origins the web pages that may open a WebSocket
 * @param proxies addresses of trusted proxies, which name the client in a PROXY header; empty for none
 * @param mountPoint prefix of its clients' topics, {@code %c} and {@code %u} being client id and user name; empty
 *     for none
 * @param sharedPick how shared groups without their own strategy choose a member for messages from its clients;
 *     null for the node's default
 * @param tenant the tenant of its clients; empty when the listener does not determine it
 */
public record ListenerConfig(
        InetSocketAddress address,
        ListenerLimits limits,
        @Nullable TlsConfig tls,
        @Nullable String webSocketPath,
        AllowedOrigins origins,
        List<AddressRange> proxies,
        String mountPoint,
        @Nullable SharedPick sharedPick,
        String tenant) {

    public ListenerConfig {
        proxies = List.copyOf(proxies);
    }

    /** Without a tenant. */
    public ListenerConfig(
            InetSocketAddress address,
            ListenerLimits limits,
            @Nullable TlsConfig tls,
            @Nullable String webSocketPath,
            AllowedOrigins origins,
            List<AddressRange> proxies,
            String mountPoint,
            @Nullable SharedPick sharedPick) {
        this(address, limits, tls, webSocketPath, origins, proxies, mountPoint, sharedPick, "");
    }

    /** Without a mount point, for web pages of the same host. */
    public ListenerConfig(
            InetSocketAddress address,
            ListenerLimits limits,
            @Nullable TlsConfig tls,
            @Nullable String webSocketPath,
            List<AddressRange> proxies) {
        this(address, limits, tls, webSocketPath, AllowedOrigins.SAME_HOST, proxies, "", null);
    }

    /** The same with other limits. */
    public ListenerConfig withLimits(ListenerLimits next) {
        return new ListenerConfig(address, next, tls, webSocketPath, origins, proxies, mountPoint, sharedPick, tenant);
    }

    /** Plain TCP. */
    public static ListenerConfig tcp(InetSocketAddress address, ListenerLimits limits) {
        return new ListenerConfig(address, limits, null, null, List.of());
    }

    /** The transport: tcp, tls, ws or wss. */
    public String transport() {
        if (webSocketPath == null) {
            return tls == null ? "tcp" : "tls";
        }
        return tls == null ? "ws" : "wss";
    }

    /** {@code transport host:port}, for logs and events. */
    public String name() {
        return transport() + " " + address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Whether connections from {@code peer} begin with a PROXY header. */
    public boolean isProxy(InetAddress peer) {
        return proxies.stream().anyMatch(range -> range.contains(peer));
    }
}
