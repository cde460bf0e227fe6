package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Subscribes once, or with clean sessions after each CONNACK, and is there always, now and then, or not before the end.
 */
final class SubscribingActor extends Actor {
    enum Presence {
        ALWAYS,
        /** Stays for a moment, leaves by a DISCONNECT or a reset, and is away for longer. */
        VISITING,
        /** Comes for its subscriptions, and again when all is over. */
        ABSENT,
        /** There always; in the rounds of takeovers it takes its session over every 200 ms. */
        TAKING_OVER
    }

    private final List<Filter> filters;
    private final Presence presence;
    private final AtomicInteger subscribed = new AtomicInteger();

    record Filter(String text, int qos) {}

    SubscribingActor(TestClient client, Stage stage, Random random, List<Filter> filters, Presence presence) {
        super(client, stage, random);
        this.filters = filters;
        this.presence = presence;
    }

    @Override
    boolean isSetUp() {
        return subscribed.get() == filters.size();
    }

    @Override
    boolean isDrained() {
        return client.isOpen();
    }

    @Override
    protected void connected() {
        if (!client.isPersistent()) {
            subscribed.set(0);
        }
    }

    @Override
    void step() throws IOException {
        if (subscribed.get() < filters.size()) {
            ensureConnected();
            Filter next = filters.get(subscribed.get());
            client.subscribe(next.text, next.qos);
            subscribed.incrementAndGet();
        } else if (stage.phase() == Phase.DRAIN) {
            ensureConnected();
            park(10);
        } else if (presence == Presence.VISITING) {
            visit();
        } else if (presence == Presence.ABSENT) {
            client.disconnect();
            park(20);
        } else if (presence == Presence.TAKING_OVER && stage.takeovers()) {
            connect();
            park(200);
        } else {
            ensureConnected();
            park(10);
        }
    }

    private void visit() throws IOException {
        ensureConnected();
        park(50 + random.nextInt(300));
        if (random.nextBoolean()) {
            client.disconnect();
        } else {
            client.abort();
        }
        park(200 + random.nextInt(1500));
    }
}
