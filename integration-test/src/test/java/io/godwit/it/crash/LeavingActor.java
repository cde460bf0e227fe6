package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import java.io.IOException;
import java.util.Random;

/**
 * A member of a shared group that goes away with messages it has not acknowledged, and when it comes back begins anew:
 * what its session had goes to the other members.
 */
final class LeavingActor extends Actor {
    private final SubscribingActor.Filter filter;

    LeavingActor(TestClient client, Stage stage, Random random, SubscribingActor.Filter filter) {
        super(client, stage, random);
        this.filter = filter;
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
        if (stage.phase() != Phase.LOAD) {
            if (!client.isOpen()) {
                connectAnew();
            }
            park(10);
            return;
        }
        connectAnew();
        client.subscribe(filter.text(), filter.qos());
        park(50 + random.nextInt(300));
        if (random.nextBoolean()) {
            client.disconnect();
        } else {
            client.abort();
        }
        park(100 + random.nextInt(500));
    }

    private void connectAnew() throws IOException {
        int code = client.connectAnew().code();
        if (code != 0) {
            client.close();
            throw new IOException("refused with " + code);
        }
    }
}
