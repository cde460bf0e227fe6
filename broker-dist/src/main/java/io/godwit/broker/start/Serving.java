package io.godwit.broker.start;

import io.godwit.broker.report.StatusFile;
import io.godwit.mqtt.MqttServer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a {@code Broker} serves clients, and how it sends them away: {@link #begin}, then perhaps {@link #drain}. The
 * starting thread begins, one thread drains, and any thread asks.
 */
public final class Serving {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    private final StatusFile status;
    private final BrokerApi api;

    /**
     * Hands over leaders; does nothing on a node without a cluster. Volatile: set by the starter, read by the draining
     * thread.
     */
    private volatile Runnable handOver = () -> {};

    /**
     * Null until the listeners are about to open. Volatile: set by the starter, read by the threads that reconfigure
     * and drain.
     */
    private volatile @Nullable MqttServer server;

    /** Whether clients are being sent away. Volatile: set by the draining thread, read when other nodes ask. */
    private volatile boolean isDraining;

    public Serving(StatusFile status, BrokerApi api) {
        this.status = status;
        this.api = api;
    }

    /** @param leaders hands over the leaders of this node; run by {@link #drain} */
    void handOver(Runnable leaders) {
        handOver = leaders;
    }

    /** Called just before the listeners open. */
    public void begin(MqttServer made) {
        server = made;
    }

    /** Null until {@link #begin}. */
    @Nullable
    public MqttServer server() {
        return server;
    }

    public boolean isBegun() {
        return server != null;
    }

    /** Whether clients may be sent to this node. */
    boolean takesClients() {
        return server != null && !isDraining;
    }

    /** See {@code Broker.drain}. */
    public void drain(Duration over) throws InterruptedException {
        MqttServer open = server;
        if (open == null) {
            return;
        }
        LOG.info("draining seconds={}", over.toSeconds());
        isDraining = true;
        status.stopping();
        api.stops();
        open.stopListening();
        handOver.run();
        try {
            open.sendAway(over).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("connections always end", e);
        }
    }
}
