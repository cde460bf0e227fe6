package io.godwit.kv.operate;

import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalancerStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the pauses of a store's balancers on this node survive restarts: a balancer that an operator has paused stays
 * paused until an operator resumes it. Any thread. The futures of {@link #pause} and {@link #resume} complete on an I/O
 * thread when the change is stored.
 *
 * <pre>
 * record   UTF-8, the name of each paused balancer on a line of its own
 * </pre>
 */
public final class NotedPauses implements BalanceControl {
    private static final Logger LOG = LoggerFactory.getLogger(NotedPauses.class);

    private final String store;
    private final BalanceControl loop;
    private final TreeSet<String> paused = new TreeSet<>(); // guarded by this, also while it is written
    private final Consumer<byte[]> keep;
    private final Runnable changed;
    private final Executor io;
    private final Object order = new Object();
    /** The last change to be stored; the next one waits for it. Guarded by {@link #order}. */
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /**
     * @param loop controls the balancers, none of which is paused yet
     * @param noted the stored record; null if there is none
     * @param keep stores the record; blocks
     * @param changed called on an I/O thread when {@link #paused} has changed
     * @param io runs tasks that block
     */
    public NotedPauses(
            String store,
            BalanceControl loop,
            byte @Nullable [] noted,
            Consumer<byte[]> keep,
            Runnable changed,
            Executor io) {
        this.store = store;
        this.loop = loop;
        this.keep = keep;
        this.changed = changed;
        this.io = io;
        if (noted != null) {
            new String(noted, StandardCharsets.UTF_8)
                    .lines()
                    .filter(name -> !name.isEmpty())
                    .forEach(paused::add);
        }
    }

    /** Pauses the balancers in the record; must be called before the loop's first round. */
    public void takeUp() {
        for (String name : paused()) {
            loop.pause(name).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.info("paused balancer is not in use any more store={} balancer={}", store, name);
                }
            });
        }
    }

    /** Names of the balancers that an operator has paused. */
    public synchronized List<String> paused() {
        return List.copyOf(paused);
    }

    private synchronized void note(String name, boolean isPaused) {
        boolean isNew = isPaused ? paused.add(name) : paused.remove(name);
        if (isNew) {
            keep.accept(String.join("\n", paused).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Stores changes in the order in which the loop got them, whatever threads write them. */
    private CompletableFuture<Void> noted(Supplier<CompletableFuture<Void>> change, String name, boolean isPaused) {
        synchronized (order) { // orders concurrent requests; nothing in here blocks
            CompletableFuture<Void> done = change.get();
            last = last.handle((before, failure) -> done)
                    .thenCompose(own -> own)
                    .thenRunAsync(
                            () -> {
                                note(name, isPaused);
                                changed.run();
                            },
                            io);
            return last.copy(); // a copy, so that a caller cannot complete the chain
        }
    }

    @Override
    public CompletableFuture<List<BalancerStatus>> list() {
        return loop.list();
    }

    @Override
    public CompletableFuture<Void> pause(String balancer) {
        return noted(() -> loop.pause(balancer), balancer, true);
    }

    @Override
    public CompletableFuture<Void> rest(String balancer) {
        return loop.rest(balancer);
    }

    @Override
    public CompletableFuture<Void> unrest(String balancer) {
        return loop.unrest(balancer);
    }

    @Override
    public CompletableFuture<Void> resume(String balancer) {
        return noted(() -> loop.resume(balancer), balancer, false);
    }

    @Override
    public CompletableFuture<Void> tune(String balancer, Map<String, String> settings) {
        return loop.tune(balancer, settings);
    }
}
