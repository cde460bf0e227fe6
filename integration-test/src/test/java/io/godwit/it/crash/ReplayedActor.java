package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import java.io.IOException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A stored session that subscribes again and again to topics with retained messages, each time when it has been given
 * all of the time before, so that nearly every kill comes in the midst of a replay. Now and then it loses its
 * connection in the midst of one.
 */
final class ReplayedActor extends Actor {
    private final SubscribingActor.Filter filter;
    private final int topics;
    /** Topics whose retained message has come since the last SUBSCRIBE. */
    private final Set<String> given;

    private boolean isOwed;

    /** Takes what the client of the actor receives. */
    static final class Given {
        private final Set<String> topics = ConcurrentHashMap.newKeySet();

        void received(Packet.Publish publish) {
            if (publish.retain()) {
                topics.add(publish.topic());
            }
        }
    }

    /** @param topics how many have a retained message that matches */
    ReplayedActor(
            TestClient client, Stage stage, Random random, SubscribingActor.Filter filter, int topics, Given given) {
        super(client, stage, random);
        this.filter = filter;
        this.topics = topics;
        this.given = given.topics;
    }

    @Override
    boolean isSetUp() {
        return client.isOpen();
    }

    @Override
    boolean isDrained() {
        return client.isOpen();
    }

    @Override
    void step() throws IOException {
        ensureConnected();
        isOwed &= given.size() < topics;
        if (stage.phase() == Stage.Phase.LOAD && !isOwed) {
            given.clear();
            client.subscribe(filter.text(), filter.qos());
            isOwed = true;
        } else if (stage.phase() == Stage.Phase.LOAD && random.nextInt(100) == 0) {
            client.abort();
        }
        park(10);
    }
}
