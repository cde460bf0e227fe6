package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.util.Random;

/**
 * One client of the load, on a thread of its own, with its own random numbers. It reconnects whenever it finds itself
 * without a connection that it should have.
 */
abstract class Actor implements Runnable {
    protected final TestClient client;
    protected final Stage stage;
    protected final Random random;

    Actor(TestClient client, Stage stage, Random random) {
        this.client = client;
        this.stage = stage;
        this.random = random;
    }

    /** Whether all that it has to do before the load is done. */
    abstract boolean isSetUp();

    /** Whether it has nothing under way that the end of the run must wait for. */
    abstract boolean isDrained();

    /**
     * One step while {@link Stage} is not stopped. An exception means: the connection is lost, or the broker does not
     * answer.
     */
    abstract void step() throws IOException;

    @Override
    public final void run() {
        while (!stage.stopped()) {
            try {
                step();
            } catch (IOException e) {
                park(20 + random.nextInt(60)); // the broker is down, or this connection is: try again
            }
        }
        client.disconnect();
        client.close();
    }

    /** Connects unless it is connected; returns whether it had to. */
    protected final boolean ensureConnected() throws IOException {
        if (client.isOpen()) {
            return false;
        }
        connect();
        return true;
    }

    protected final void connect() throws IOException {
        int code = client.connect().code();
        if (code != 0) {
            client.close();
            throw new IOException("refused with " + code);
        }
        connected();
    }

    /** Called after each CONNACK that accepts. */
    protected void connected() {}

    protected static void park(long millis) {
        Pace.passMillis(millis);
    }
}
