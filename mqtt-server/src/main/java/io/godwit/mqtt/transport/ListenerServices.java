package io.godwit.mqtt.transport;

import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.DescriptorBudget;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.limit.OpenCount;
import io.godwit.mqtt.transport.loop.EventLoops;
import io.godwit.mqtt.transport.report.MqttReports;
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
