package io.godwit.broker.admin.rpc;

import io.godwit.kv.balance.BalanceControl;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses of balancers of this node that end by themselves. The balancer knows only one rest, both for such a pause and
 * for an operator's work ({@code RestingBalancers}). This class keeps the two apart, so that the end of one does not
 * end the other. The program that works may be killed, so its rest also ends if it is not renewed within {@link #REST}.
 * A stop of the node ends both. Any thread; the monitor guards the state of the balancers, since requests and timers
 * run on different threads.
 */
public final class LimitedPauses implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedPauses.class);
    static final Duration LONGEST = Duration.ofDays(1);
    /** {@code RestingBalancers} renews its rest long before. */
    public static final Duration REST = Duration.ofMinutes(5);

    private static final long IDLE_SECONDS = 10;

    /**
     * A pause under way.
     *
     * @param alsoRests whether an operator's work needs the rest too
     */
    record Pause(long secondsLeft, boolean alsoRests) {}

    private static final class State {
        final long untilNanos;
        boolean alsoRests;

        State(long untilNanos, boolean alsoRests) {
            this.untilNanos = untilNanos;
            this.alsoRests = alsoRests;
        }
    }

    private final LongSupplier nanoTime;
    private final Duration rest;
    private final ScheduledThreadPoolExecutor timer;
    /** By store and balancer, so the number of balancers is its bound. */
    private final Map<String, State> states = new HashMap<>();
    /** The number of the last call that asked for the rest, by store and balancer. */
    private final Map<String, Long> rests = new HashMap<>();

    private long lastRest;

    /** @param rest how long a rest lasts without renewal */
    LimitedPauses(LongSupplier nanoTime, Duration rest) {
        this.nanoTime = nanoTime;
        this.rest = rest;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "admin-pauses");
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    private static String key(String store, String balancer) {
        return store + " " + balancer;
    }

    /** The pause of a balancer; null if there is none. */
    synchronized @Nullable Pause of(String store, String balancer) {
        State state = states.get(key(store, balancer));
        return state == null
                ? null
                : new Pause(
                        Math.max(1, TimeUnit.NANOSECONDS.toSeconds(state.untilNanos - nanoTime.getAsLong())),
                        state.alsoRests);
    }

    /**
     * Begins a pause, which replaces an earlier one. Fails as {@link BalanceControl#rest}, and if {@code seconds} is
     * out of bounds.
     */
    CompletableFuture<Void> pause(BalanceControl balancers, String store, String balancer, int seconds) {
        if (seconds < 1 || seconds > LONGEST.toSeconds()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "a pause takes 1 to " + LONGEST.toSeconds() + " seconds, was " + seconds));
        }
        return balancers.list().thenCompose(all -> {
            boolean rests = all.stream().anyMatch(each -> each.name().equals(balancer) && each.isResting());
            return balancers.rest(balancer).thenRun(() -> begin(balancers, store, balancer, seconds, rests));
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task throws nothing
    private synchronized void begin(
            BalanceControl balancers, String store, String balancer, int seconds, boolean rests) {
        String key = key(store, balancer);
        State before = states.get(key);
        State state = new State(
                nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(seconds), before == null ? rests : before.alsoRests);
        states.put(key, state);
        timer.schedule(() -> end(balancers, store, balancer, state), seconds, TimeUnit.SECONDS);
    }

    private synchronized void end(BalanceControl balancers, String store, String balancer, State state) {
        if (!states.remove(key(store, balancer), state)) {
            return; // it was resumed, or a new pause began
        }
        LOG.info("pause of a balancer is over store={} balancer={}", store, balancer);
        if (!state.alsoRests) {
            balancers.unrest(balancer).exceptionally(failure -> {
                LOG.warn("balancer not resumed store={} balancer={}", store, balancer, failure);
                return null;
            });
        }
    }

    /** As {@link BalanceControl#rest}, for a limited time; a program that goes on working must renew it. */
    synchronized CompletableFuture<Void> rest(BalanceControl balancers, String store, String balancer) {
        State state = states.get(key(store, balancer));
        if (state != null) {
            state.alsoRests = true;
        }
        return balancers.rest(balancer).thenRun(() -> restBegun(balancers, store, balancer));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task throws nothing
    private synchronized void restBegun(BalanceControl balancers, String store, String balancer) {
        long number = ++lastRest;
        rests.put(key(store, balancer), number);
        timer.schedule(() -> endRest(balancers, store, balancer, number), rest.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void endRest(BalanceControl balancers, String store, String balancer, long number) {
        Long newest = rests.get(key(store, balancer));
        if (newest != null && newest == number) {
            LOG.info("balancer rested for work that has gone store={} balancer={}", store, balancer);
            unrest(balancers, store, balancer).exceptionally(failure -> {
                LOG.warn("balancer not resumed store={} balancer={}", store, balancer, failure);
                return null;
            });
        }
    }

    /** As {@link BalanceControl#unrest}, but a pause continues. */
    synchronized CompletableFuture<Void> unrest(BalanceControl balancers, String store, String balancer) {
        rests.remove(key(store, balancer));
        State state = states.get(key(store, balancer));
        if (state != null) {
            state.alsoRests = false;
            return CompletableFuture.completedFuture(null);
        }
        return balancers.unrest(balancer);
    }

    /** As {@link BalanceControl#resume}. */
    synchronized CompletableFuture<Void> resume(BalanceControl balancers, String store, String balancer) {
        states.remove(key(store, balancer));
        rests.remove(key(store, balancer));
        return balancers.resume(balancer);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
