package io.godwit.mqtt.transport;

import java.net.InetSocketAddress;

/**
 * One listener.
 *
 * @param address where to listen; port 0 means any free one
 */
public record ListenerConfig(InetSocketAddress address, ListenerLimits limits) {

    /** How a client reaches it. */
    public String transport() {
        return "tcp";
    }
}
