package io.godwit.it.crash;

import io.godwit.it.client.Tap;
import io.godwit.it.crash.Event.Kind;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Writes one client's packets into the history. Called under the client's lock. */
final class HistoryTap implements Tap {
    private final History history;
    private final String client;
    private final boolean cleanSessions;
    /** Filters of the SUBSCRIBE and UNSUBSCRIBE packets that are not answered yet. */
    private final Map<Integer, List<String>> asked = new HashMap<>();

    private int node;

    HistoryTap(History history, String client) {
        this(history, client, false);
    }

    private HistoryTap(History history, String client, boolean cleanSessions) {
        this.history = history;
        this.client = client;
        this.cleanSessions = cleanSessions;
    }

    /**
     * For a client that never takes up its session again: in the history each of its connections is a client of its
     * own, so that what one session was given is not held against the next.
     */
    static HistoryTap ofCleanSessions(History history, String client) {
        return new HistoryTap(history, client, true);
    }

    /** The next connection goes to this node, from 0. */
    void connectsTo(int newNode) {
        node = newNode + 1;
    }

    private Event event(Kind kind, int connection) {
        return Event.of(kind, cleanSessions ? client + '~' + connection : client, connection);
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
            Event event = event(Kind.CONNECT_OUT, connection).withPacketId(node).withFlag(connect.clean());
            if (will != null) {
                event = event.withCode(will.qos()).withMessage(MessageId.of(will.topic(), will.payload()));
                OptionalLong delay = will.properties().number(Properties.WILL_DELAY);
                if (delay.isPresent()) {
                    event = event.withText(Long.toString(delay.getAsLong()));
                }
            }
            history.add(event);
        } else if (packet instanceof Packet.Subscribe subscribe) {
            List<String> filters =
                    subscribe.requests().stream().map(Packet.Request::filter).toList();
            asked.put(subscribe.packetId(), filters);
            for (Packet.Request request : subscribe.requests()) {
                history.add(event(Kind.SUBSCRIBE_OUT, connection)
                        .withText(request.filter())
                        .withCode(request.options()));
            }
        } else if (packet instanceof Packet.Unsubscribe unsubscribe) {
            asked.put(unsubscribe.packetId(), unsubscribe.filters());
            for (String filter : unsubscribe.filters()) {
                history.add(event(Kind.UNSUBSCRIBE_OUT, connection).withText(filter));
            }
        } else if (packet instanceof Packet.Disconnect disconnect) {
            history.add(event(Kind.DISCONNECT_OUT, connection).withCode(disconnect.code()));
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
            history.add(
                    event(Kind.CONNACK_IN, connection).withCode(connack.code()).withFlag(connack.sessionPresent()));
        } else if (packet instanceof Packet.Suback suback) {
            answered(Kind.SUBACK_IN, connection, suback.packetId(), suback.codes());
        } else if (packet instanceof Packet.Unsuback unsuback) {
            answered(Kind.UNSUBACK_IN, connection, unsuback.packetId(), unsuback.codes());
        } else if (packet instanceof Packet.Disconnect disconnect) {
            history.add(event(Kind.DISCONNECT_IN, connection).withCode(disconnect.code()));
        }
    }

    @Override
    public void lost(int connection) {
        history.add(event(Kind.LOST, connection));
    }

    @Override
    public void aborted(int connection) {
        history.add(event(Kind.ABORT, connection));
    }

    @Override
    public void answered(int connection) {
        history.add(event(Kind.ANSWERED, connection));
    }

    private void publish(Kind kind, int connection, Packet.Publish publish) {
        Event event = event(kind, connection)
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
            history.add(event(Kind.DAMAGED, connection).withText(publish.topic() + ": " + e.getMessage()));
            return null;
        }
    }

    private void ack(Kind kind, int connection, Packet.Ack ack) {
        history.add(event(kind, connection).withPacketId(ack.packetId()).withCode(ack.code()));
    }

    private void answered(Kind kind, int connection, int packetId, List<Integer> codes) {
        List<String> filters = asked.remove(packetId);
        if (filters == null) {
            history.add(event(Kind.DAMAGED, connection).withText(kind + " of packet id " + packetId));
            return;
        }
        for (int i = 0; i < filters.size(); i++) {
            history.add(event(kind, connection).withText(filters.get(i)).withCode(i < codes.size() ? codes.get(i) : 0));
        }
    }
}
