package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Subscribes and unsubscribes while messages flow; after an answer that never came it asks again. */
final class ChurningActor extends Actor {
    private final List<SubscribingActor.Filter> filters;
    private final boolean[] subscribed;

    ChurningActor(TestClient client, Stage stage, Random random, List<SubscribingActor.Filter> filters) {
        super(client, stage, random);
        this.filters = filters;
        this.subscribed = new boolean[filters.size()];
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
        if (stage.phase() == Phase.LOAD) {
            int which = random.nextInt(subscribed.length);
            SubscribingActor.Filter filter = filters.get(which);
            if (subscribed[which]) {
                client.unsubscribe(filter.text());
            } else {
                client.subscribe(filter.text(), filter.qos());
            }
            subscribed[which] = !subscribed[which];
        }
        park(30 + random.nextInt(170));
    }
}
