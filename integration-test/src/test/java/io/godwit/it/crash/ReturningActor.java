package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.util.Random;

/**
 * Connects with a delayed will of its own each time. It goes by a reset, by a takeover, or with the broker, and is back
 * long before the delay is over, so none of its wills may be published.
 */
final class ReturningActor extends Actor {
    private static final int V5 = 5;
    private static final int QOS = 1;
    private static final int SESSION_SECONDS = 86_400;
    /** More than a test moves the clock of a node. */
    private static final int DELAY_SECONDS = 3_600;

    private final String name;
    private long wills;

    ReturningActor(TestClient client, Stage stage, Random random, String name) {
        super(client, stage, random);
        this.name = name;
    }

    @Override
    boolean isSetUp() {
        return true;
    }

    @Override
    boolean isDrained() {
        return !client.isOpen();
    }

    @Override
    void step() throws IOException {
        if (stage.phase() != Phase.LOAD) {
            client.disconnect();
            park(20);
            return;
        }
        MessageId will = new MessageId(name, "will/" + name, QOS, wills++);
        client.connect(new Packet.Connect(
                V5,
                name,
                false,
                300,
                Properties.NONE.with(Properties.SESSION_EXPIRY, SESSION_SECONDS),
                new Packet.Will(
                        will.topic(),
                        will.payload(64),
                        QOS,
                        false,
                        Properties.NONE.with(Properties.WILL_DELAY, DELAY_SECONDS))));
        park(random.nextInt(500));
        if (random.nextBoolean()) {
            client.abort(); // else it is taken over
            park(random.nextInt(300));
        }
    }
}
