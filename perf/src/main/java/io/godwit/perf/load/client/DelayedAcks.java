package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Time;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.mqtt.messages.MqttPublishMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Acknowledges the messages of the subscribers of one event loop a set time after their arrival, in the order of
 * arrival. At QoS 2 this delays the PUBCOMP, as the client library sends the PUBREC by itself. Confined to the event
 * loop.
 *
 * <p>Acknowledgements of a subscriber that are due are given when its next message arrives, as writes during a read are
 * flushed together; a timer of the loop gives the others. An acknowledgement is never early, and is late by at most a
 * tenth of the delay, within 1 to 5 ms, while the loop keeps up.
 */
final class DelayedAcks {
    private static final long MOST_LATE_MILLIS = 5;

    private final Vertx vertx;
    private final long delayNanos;
    private final long tickMillis;
    /** Acknowledgements of all lines; one that its line has given stays here until it is at the front. */
    private final ArrayDeque<Ack> waiting = new ArrayDeque<>();

    private boolean isTimed;

    DelayedAcks(Vertx vertx, Duration delay) {
        this.vertx = vertx;
        delayNanos = delay.toNanos();
        tickMillis = Math.max(1, Math.min(MOST_LATE_MILLIS, delay.toMillis() / 10));
    }

    /** An acknowledgement to be given. */
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

    /** The acknowledgements to be given on one connection. */
    final class Line {
        private final Connection client;
        private final ArrayDeque<Ack> owed = new ArrayDeque<>();

        private Line(Connection client) {
            this.client = client;
        }

        /** To be called when {@code message} arrives. */
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
            // rounded up, as a timer of whole milliseconds would fire early
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

    /**
     * Gives all acknowledgements now; to be called before connections are closed, so that the broker has nothing to
     * send again.
     */
    void giveAll() {
        while (!waiting.isEmpty()) {
            giveNext();
        }
    }

    private void giveNext() {
        Ack next = waiting.remove();
        if (!next.isGiven) {
            next.line.giveFirst(); // gives next itself, as lines have the same order
        }
    }
}
