package io.godwit.it.kv.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;

/**
 * Leads the connections of this process to other nodes through a proxy: {@code java.net.Socket} asks for one by a URI
 * of {@code socket}, gRPC by one of {@code https}. Other nodes are those whose addresses begin as this one's.
 */
final class ThroughProxy extends ProxySelector {
    private final String network;
    private final InetSocketAddress proxy;

    private ThroughProxy(String host, int port) {
        this.network = host.substring(0, host.lastIndexOf('.') + 1);
        this.proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** For the whole process, from now on. */
    static void install(NodeOptions options) {
        if (options.proxyPort() != 0) {
            setDefault(new ThroughProxy(options.host(), options.proxyPort()));
        }
    }

    @Override
    public List<Proxy> select(URI uri) {
        String host = uri.getHost();
        if (host == null || !host.startsWith(network)) {
            return List.of(Proxy.NO_PROXY);
        }
        Proxy.Type type = "socket".equals(uri.getScheme()) ? Proxy.Type.SOCKS : Proxy.Type.HTTP;
        return List.of(new Proxy(type, proxy));
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
        // whoever asked is told by the failure
    }
}
