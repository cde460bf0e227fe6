package io.godwit.it.crash;

import io.godwit.it.client.Tap;
import io.godwit.it.crash.Event.Kind;
import io.godwit.it.wire.Packet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes one client's packets into the history. Called under the client's lock. */
final class HistoryTap implements Tap {
    private final History history;
    private final String client;
    /** Filters of the SUBSCRIBE and UNSUBSCRIBE packets that are not answered yet. */
    private final Map<Integer, List<String>> asked = new HashMap<>();

    HistoryTap(History history, String client) {
        this.history = history;
        this.client = client;
    }

    @Override
    public void out(int connection, Packet packet) {
        if (packet instanceof Packet.Publish publish) {
            publish(Kind.PUBLISH_OUT, connection, publish);
        } else if (packet instanceof Packet.Ack ack) {
            switch (ack.kind()) {
                case PUBACK -> ack(Kind.PUBACK_OUT, connection, ack);
                case PUBREC -> ack(Kind.PUBREC_OUT, connection, ack);
                case PUBREL -> ack(Kind.PUBREL_OUT, connection, ack);
                case PUBCOMP -> ack(Kind.PUBCOMP_OUT, connection, ack);
            }
        } else if (packet instanceof Packet.Connect connect) {
            Packet.Will will = connect.will();
            asked.clear();
            Event event = Event.of(Kind.CONNECT_OUT, client, connection).withFlag(connect.clean());
            history.add(
                    will == null
                            ? event
                            : event.withCode(will.qos()).withMessage(MessageId.of(will.topic(), will.payload())));
        } else if (packet instanceof Packet.Subscribe subscribe) {
            List<String> filters =
                    subscribe.requests().stream().map(Packet.Request::filter).toList();
            asked.put(subscribe.packetId(), filters);
            for (Packet.Request request : subscribe.requests()) {
                history.add(Event.of(Kind.SUBSCRIBE_OUT, client, connection)
                        .withText(request.filter())
                        .withCode(request.options()));
            }
        } else if (packet instanceof Packet.Unsubscribe unsubscribe) {
            asked.put(unsubscribe.packetId(), unsubscribe.filters());
            for (String filter : unsubscribe.filters()) {
                history.add(Event.of(Kind.UNSUBSCRIBE_OUT, client, connection).withText(filter));
            }
        } else if (packet instanceof Packet.Disconnect disconnect) {
            history.add(Event.of(Kind.DISCONNECT_OUT, client, connection).withCode(disconnect.code()));
        }
    }

    @Override
    public void in(int connection, Packet packet) {
        if (packet instanceof Packet.Publish publish) {
            publish(Kind.PUBLISH_IN, connection, publish);
        } else if (packet instanceof Packet.Ack ack) {
            switch (ack.kind()) {
                case PUBACK -> ack(Kind.PUBACK_IN, connection, ack);
                case PUBREC -> ack(Kind.PUBREC_IN, connection, ack);
                case PUBREL -> ack(Kind.PUBREL_IN, connection, ack);
                case PUBCOMP -> ack(Kind.PUBCOMP_IN, connection, ack);
            }
        } else if (packet instanceof Packet.Connack connack) {
            history.add(Event.of(Kind.CONNACK_IN, client, connection)
                    .withCode(connack.code())
                    .withFlag(connack.sessionPresent()));
        } else if (packet instanceof Packet.Suback suback) {
            answered(Kind.SUBACK_IN, connection, suback.packetId(), suback.codes());
        } else if (packet instanceof Packet.Unsuback unsuback) {
            answered(Kind.UNSUBACK_IN, connection, unsuback.packetId(), unsuback.codes());
        } else if (packet instanceof Packet.Disconnect disconnect) {
            history.add(Event.of(Kind.DISCONNECT_IN, client, connection).withCode(disconnect.code()));
        }
    }

    @Override
    public void lost(int connection) {
        history.add(Event.of(Kind.LOST, client, connection));
    }

    @Override
    public void aborted(int connection) {
        history.add(Event.of(Kind.ABORT, client, connection));
    }

    private void publish(Kind kind, int connection, Packet.Publish publish) {
        Event event = Event.of(kind, client, connection)
                .withPacketId(publish.packetId())
                .withCode(publish.qos())
                .withFlag(publish.dup())
                .withRetain(publish.retain())
                .withText(publish.topic());
        history.add(event.withMessage(messageOf(connection, publish)));
    }

    private @Nullable MessageId messageOf(int connection, Packet.Publish publish) {
        if (publish.payload().length == 0) {
            return null;
        }
        try {
            return MessageId.of(publish.topic(), publish.payload());
        } catch (IllegalArgumentException e) {
            history.add(Event.of(Kind.DAMAGED, client, connection).withText(publish.topic() + ": " + e.getMessage()));
            return null;
        }
    }

    private void ack(Kind kind, int connection, Packet.Ack ack) {
        history.add(
                Event.of(kind, client, connection).withPacketId(ack.packetId()).withCode(ack.code()));
    }

    private void answered(Kind kind, int connection, int packetId, List<Integer> codes) {
        List<String> filters = asked.remove(packetId);
        if (filters == null) {
            history.add(Event.of(Kind.DAMAGED, client, connection).withText(kind + " of packet id " + packetId));
            return;
        }
        for (int i = 0; i < filters.size(); i++) {
            history.add(Event.of(kind, client, connection)
                    .withText(filters.get(i))
                    .withCode(i < codes.size() ? codes.get(i) : 0));
        }
    }
}
