package io.godwit.it.crash;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import java.util.ArrayList;
import java.util.List;

/** A history that a test writes event by event, and the rules that the checker finds broken in it. */
abstract class CheckerFixture {
    final List<Event> events = new ArrayList<>();
    private long sequence;

    List<Rule> rules() {
        return Checker.check(events).stream().map(Violation::rule).toList();
    }

    void add(Event event) {
        events.add(event);
    }

    void subscriber(String name, int qos) {
        reconnect(name, 1, false);
        subscribed(name, qos);
    }

    void subscribed(String name, int qos) {
        add(Event.of(Kind.SUBSCRIBE_OUT, name, 1).withText("t").withCode(qos));
        add(Event.of(Kind.SUBACK_IN, name, 1).withText("t").withCode(qos));
    }

    void publisher(String name) {
        reconnect(name, 1, false);
    }

    void reconnect(String name, int connection, boolean present) {
        add(Event.of(Kind.CONNECT_OUT, name, connection));
        add(Event.of(Kind.CONNACK_IN, name, connection).withFlag(present));
    }

    MessageId published(int qos, int packetId) {
        MessageId message = new MessageId("p", "t", qos, sequence++);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(packetId)
                .withCode(qos)
                .withText("t")
                .withMessage(message));
        return message;
    }

    void again(int connection, int packetId, MessageId message) {
        add(Event.of(Kind.PUBLISH_OUT, "p", connection)
                .withPacketId(packetId)
                .withCode(1)
                .withFlag(true)
                .withText("t")
                .withMessage(message));
    }

    MessageId acknowledged(int qos) {
        int packetId = (int) sequence + 1;
        MessageId message = published(qos, packetId);
        add(Event.of(qos == 1 ? Kind.PUBACK_IN : Kind.PUBREC_IN, "p", 1).withPacketId(packetId));
        if (qos == 2) {
            add(Event.of(Kind.PUBREL_OUT, "p", 1).withPacketId(packetId));
            add(Event.of(Kind.PUBCOMP_IN, "p", 1).withPacketId(packetId));
        }
        return message;
    }

    MessageId retained(int packetId) {
        return retained(packetId, 1);
    }

    MessageId retained(int packetId, int qos) {
        MessageId message = new MessageId("p", "t", qos, sequence++);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(packetId)
                .withCode(qos)
                .withRetain(true)
                .withText("t")
                .withMessage(message));
        add(Event.of(qos == 1 ? Kind.PUBACK_IN : Kind.PUBREC_IN, "p", 1).withPacketId(packetId));
        return message;
    }

    void received(String name, int connection, int packetId, int qos, boolean dup, MessageId message) {
        add(Event.of(Kind.PUBLISH_IN, name, connection)
                .withPacketId(packetId)
                .withCode(qos)
                .withFlag(dup)
                .withText("t")
                .withMessage(message));
    }

    void finish(String name, int connection, int packetId, int qos) {
        if (qos == 1) {
            add(Event.of(Kind.PUBACK_OUT, name, connection).withPacketId(packetId));
        } else {
            add(Event.of(Kind.PUBREC_OUT, name, connection).withPacketId(packetId));
            add(Event.of(Kind.PUBREL_IN, name, connection).withPacketId(packetId));
            add(Event.of(Kind.PUBCOMP_OUT, name, connection).withPacketId(packetId));
        }
    }

    void delivered(String name, int packetId, int qos, MessageId message) {
        received(name, 1, packetId, qos, false, message);
        finish(name, 1, packetId, qos);
    }
}
