package io.godwit.broker.start;

import io.godwit.broker.cluster.MqttCluster;
import io.godwit.broker.report.StatusFile;
import io.godwit.common.failure.Failures;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.store.StoreHealth;
import io.godwit.mqtt.MqttServer;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits of a start: {@link #open} for the data directory and the other nodes, {@link #serving} for the stores, and
 * {@link #join} until this node may acknowledge. The status file and the health name what the start waits for. The
 * starting thread waits, and any thread may {@link #cancel}.
 */
public final class StartWaits {
    private static final Logger LOG = LoggerFactory.getLogger(StartWaits.class);

    /** Replaying a log of the usual size takes seconds. This limit only ensures that the start script ends some day. */
    private static final long READY_MINUTES = 30;

    private static final long JOIN_LOOK_MILLIS = 500;

    private final StatusFile status;
    private final BrokerApi api;

    /**
     * The thread in {@link #serving} or {@link #join}, for {@link #cancel}. Volatile: the shutdown thread looks while
     * the starter holds the monitor of the broker.
     */
    private volatile @Nullable Thread starter;

    private volatile boolean isCancelled;

    public StartWaits(StatusFile status, BrokerApi api) {
        this.status = status;
        this.api = api;
    }

    /**
     * Opens the node. May wait for other nodes; the status names them. The status file and the API open as soon as the
     * data directory is claimed.
     */
    public KvNode open(KvNodeConfig config, StoreMeasures measures, RangeReports reports)
            throws IOException, InterruptedException {
        StartProgress progress = new StartProgress() {
            @Override
            public void claimed() throws IOException {
                status.begin();
                api.open();
            }

            @Override
            public void waitsFor(String what) {
                waiting(what);
            }

            @Override
            public boolean isCancelled() {
                return isCancelled;
            }
        };
        try {
            return KvNode.open(config, progress, measures, reports);
        } catch (IOException e) {
            if (isCancelled) {
                throw new InterruptedException("told to end: " + e.getMessage());
            }
            throw e;
        }
    }

    private void waiting(String what) {
        status.waiting(what);
        api.waits(what);
    }

    /** Returns when the stores serve that have been opened. */
    public void serving(KvNode node) throws IOException, InterruptedException {
        try {
            starter = Thread.currentThread();
            if (isCancelled) {
                throw new InterruptedException("told to end");
            }
            node.ready().get(READY_MINUTES, TimeUnit.MINUTES);
        } catch (ExecutionException | TimeoutException e) {
            throw notServing(node.health(), e);
        } finally {
            starter = null;
        }
    }

    /**
     * Opens the way for the listeners once this node can keep its promises: all others know it, and it knows their
     * routes.
     */
    public void join(MqttCluster others, MqttServer server) throws IOException, InterruptedException {
        try {
            starter = Thread.currentThread();
            CompletableFuture<Void> serves = others.join(
                    server::endConnections,
                    lack -> status.store("mqtt", lack.isEmpty() ? "SERVING" : "NOT_ACKNOWLEDGING " + lack));
            String told = "";
            while (!serves.isDone()) {
                if (isCancelled) {
                    throw new InterruptedException("told to end");
                }
                String lack = others.lack();
                if (!lack.equals(told)) {
                    waiting(lack);
                    told = lack;
                }
                try {
                    serves.get(JOIN_LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    LOG.debug("still joining: {}", lack);
                }
            }
            serves.get();
            waiting("");
        } catch (ExecutionException e) {
            throw new IOException("this node does not come to serve: " + others.lack(), e);
        } finally {
            starter = null;
        }
    }

    /** Adds the cause to the message, since {@code health} may not show yet why the start failed. */
    static IOException notServing(Map<String, StoreHealth> health, Exception ended) {
        Throwable cause = Failures.cause(ended);
        String why = cause instanceof TimeoutException
                ? "not within " + READY_MINUTES + " minutes"
                : cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new IOException("the stores do not serve, " + why + ": " + health, ended);
    }

    /** Interrupts a start that still waits; the call that waits then throws. Does nothing after the start. */
    public void cancel() {
        isCancelled = true;
        Thread waiting = starter;
        if (waiting != null) {
            waiting.interrupt();
        }
    }
}
