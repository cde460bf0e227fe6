package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.util.Random;

/**
 * Connects with a will of its own each time, and goes by a DISCONNECT, by a reset, by a takeover, or with the broker.
 */
final class WillActor extends Actor {
    private final String name;
    private final int version;
    private final int qos;
    private final boolean persistent;
    private long wills;

    WillActor(TestClient client, Stage stage, Random random, String name, int version, int qos, boolean persistent) {
        super(client, stage, random);
        this.name = name;
        this.version = version;
        this.qos = qos;
        this.persistent = persistent;
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
            client.abort();
            park(20);
            return;
        }
        MessageId will = new MessageId(name, "will/" + name, qos, wills++);
        Properties properties =
                version == 5 && persistent ? Properties.NONE.with(Properties.SESSION_EXPIRY, 86_400) : Properties.NONE;
        client.connect(new Packet.Connect(
                version,
                name,
                !persistent,
                300,
                properties,
                new Packet.Will(will.topic(), will.payload(64), qos, false, Properties.NONE)));
        park(random.nextInt(700));
        switch (random.nextInt(4)) {
            case 0 -> {
                client.disconnect();
                park(random.nextBoolean() ? 0 : 1_200); // else the broker may see the takeover first
            }
            case 1 -> client.abort();
            case 2 -> park(1_000); // perhaps the broker goes first; else it is taken over
            default -> {} // taken over
        }
    }
}
