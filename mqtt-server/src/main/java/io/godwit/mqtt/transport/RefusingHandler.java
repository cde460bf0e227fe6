package io.godwit.mqtt.transport;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.SessionlessHandler;
import io.godwit.plugin.event.ConnectionLimit;

/** Waits for the CONNECT of a connection that a limit forbids, and answers it (MQTT 5.0, 3.2.2.2). */
final class RefusingHandler extends SessionlessHandler {
    private final ConnectionLimit limit;

    RefusingHandler(Connection connection, ConnectionLimit limit) {
        super(connection);
        this.limit = limit;
    }

    @Override
    public void onPacket(Packet packet) {
        if (packet instanceof Connect) {
            connection.refuse(
                    switch (limit) {
                        case TOTAL, SOURCE_TOTAL, MEMORY, DESCRIPTORS -> ReasonCode.QUOTA_EXCEEDED;
                        case BANNED -> ReasonCode.BANNED;
                        case RATE, SOURCE_RATE -> ReasonCode.CONNECTION_RATE_EXCEEDED;
                    },
                    null);
        } else {
            connection.close("refused");
        }
    }
}
