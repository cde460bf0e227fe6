package io.godwit.broker.sub;

import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerSubscription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers messages to the SubBrokers of a node, on a thread of its own. Created by the thread that wires the broker
 * when the node serves, and closed by it before the stores.
 */
public final class SubConsumers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SubConsumers.class);
    private static final long TICK_MILLIS = 200;
    private static final long CLOSE_SECONDS = 5;

    private final Loop loop = new Loop();
    private final List<SubConsumer> consumers;

    /**
     * @param brokers by name; they answer within a bounded time
     * @param subscriptions by the name of the SubBroker
     */
    public SubConsumers(
            Map<String, SubBroker> brokers, Map<String, List<SubBrokerSubscription>> subscriptions, SubParts parts) {
        consumers = brokers.entrySet().stream()
                .flatMap(broker -> subscriptions.getOrDefault(broker.getKey(), List.of()).stream()
                        .map(each -> new SubConsumer(broker.getKey(), broker.getValue(), each, parts, loop)))
                .toList();
    }

    /** Begins to serve subscriptions. */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until it is shut down
    public void start() {
        loop.executor.scheduleWithFixedDelay(
                () -> consumers.forEach(each -> loop.guarded(each::tick)), 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static final class Loop implements SubThread {
        private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "sub-brokers");
            thread.setDaemon(true);
            return thread;
        });

        private Loop() {
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public void post(Runnable task) {
            try {
                executor.execute(() -> guarded(task));
            } catch (RejectedExecutionException e) {
                LOG.trace("too late", e);
            }
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the task handles its own failures
        public void after(long millis, Runnable task) {
            try {
                executor.schedule(() -> guarded(task), millis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.trace("too late", e);
            }
        }

        @Override
        public long millis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        private void guarded(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error e) { // the thread's outermost frame: other subscriptions go on
                LOG.error("subscription of a plugin failed", e);
            }
        }
    }

    /** Gives all inboxes back, or gives up after five seconds. Blocks. */
    @Override
    public void close() {
        CompletableFuture<Void> all = new CompletableFuture<>();
        loop.post(() -> CompletableFuture.allOf(
                        consumers.stream().map(SubConsumer::close).toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> all.complete(null)));
        try {
            all.get(CLOSE_SECONDS, TimeUnit.SECONDS); // only the end of a broker waits here
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("inboxes of plugins not given back in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loop.executor.shutdownNow();
    }
}
