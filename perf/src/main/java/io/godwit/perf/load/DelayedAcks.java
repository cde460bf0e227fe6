package io.godwit.perf.load;

import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.mqtt.messages.MqttPublishMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Acknowledges what the subscribers of one event loop are sent, a set time after it came and in the order in which it
 * came. At QoS 2 that is the PUBCOMP, since the client's library sends the PUBREC by itself. Confined to the event
 * loop.
 *
 * <p>A subscriber gives what is due when it is sent something more, since what is written while a connection is read
 * leaves in one piece; the loop's one timer finds the others. So an acknowledgement is never early, and late by a tenth
 * of the delay, 5 ms at most, while the loop keeps up.
 */
final class DelayedAcks {
    private static final long MOST_LATE_MILLIS = 5;

    private final Vertx vertx;
    private final long delayNanos;
    private final long tickMillis;
    /** Of all lines; those given by their line since are still in here until they come to the front. */
    private final ArrayDeque<Ack> waiting = new ArrayDeque<>();

    private boolean isTimed;

    DelayedAcks(Vertx vertx, Duration delay) {
        this.vertx = vertx;
        delayNanos = delay.toNanos();
        tickMillis = Math.max(1, Math.min(MOST_LATE_MILLIS, delay.toMillis() / 10));
    }

    /** An acknowledgement that is owed. */
    private static final class Ack {
        private final Line line;
        private final MqttPublishMessage message;
        private final long dueNanos;
        private boolean isGiven;

        private Ack(Line line, MqttPublishMessage message, long dueNanos) {
            this.line = line;
            this.message = message;
            this.dueNanos = dueNanos;
        }

        private boolean isDue(long nowNanos) {
            return dueNanos - nowNanos <= 0;
        }
    }

    /** What one connection owes. */
    final class Line {
        private final Connection client;
        private final ArrayDeque<Ack> owed = new ArrayDeque<>();

        private Line(Connection client) {
            this.client = client;
        }

        /** The client has been sent {@code message}. */
        void arrived(MqttPublishMessage message, long nowNanos) {
            while (!owed.isEmpty() && owed.element().isDue(nowNanos)) {
                giveFirst();
            }
            if (message.qosLevel() != MqttQoS.AT_MOST_ONCE) {
                Ack ack = new Ack(this, message, nowNanos + delayNanos);
                owed.add(ack);
                waiting.add(ack);
                setTimer(nowNanos);
            }
        }

        private void giveFirst() {
            Ack first = owed.remove();
            first.isGiven = true;
            if (client.isOpen()) {
                first.message.ack();
            }
        }
    }

    Line line(Connection client) {
        return new Line(client);
    }

    private void setTimer(long nowNanos) {
        if (!isTimed && !waiting.isEmpty()) {
            isTimed = true;
            // rounded up: a millisecond begun is a timer that would fire early
            long millis = TimeUnit.NANOSECONDS.toMillis(waiting.element().dueNanos - nowNanos + 999_999);
            vertx.setTimer(Math.max(tickMillis, millis), timer -> {
                isTimed = false;
                giveDue();
            });
        }
    }

    private void giveDue() {
        long nowNanos = Time.nowNanos();
        try {
            while (!waiting.isEmpty()
                    && (waiting.element().isGiven || waiting.element().isDue(nowNanos))) {
                giveNext();
            }
        } finally {
            setTimer(nowNanos);
        }
    }

    /** Before the connections are closed: nothing is left to be sent again. */
    void giveAll() {
        while (!waiting.isEmpty()) {
            giveNext();
        }
    }

    private void giveNext() {
        Ack next = waiting.remove();
        if (!next.isGiven) {
            next.line.giveFirst(); // which is this one: lines have the same order
        }
    }
}
