package io.godwit.mqtt.transport;

import java.util.function.Function;

/**
 * What the listeners of a server share.
 *
 * @param certificates watches the files of listeners with TLS
 * @param open counts the connections
 * @param descriptors limits them over all listeners
 * @param handlers makes the handler of each new connection, on the connection's loop
 */
public record ListenerServices(
        EventLoops loops,
        TransportConfig transport,
        MqttReports reports,
        CertificateWatch certificates,
        OpenCount open,
        HalfReceived halfReceived,
        Bans bans,
        DescriptorBudget descriptors,
        Function<Connection, PacketHandler> handlers) {}
