package io.godwit.broker.admin;

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
 * Pauses of balancers of this node that end by themselves. To the balancer such a pause is a rest, and so is the work
 * of an operator ({@link RestingBalancers}): here both are told apart, so that neither ends the other. That work may
 * die without a word, so its rest ends too when nobody has asked for it for {@link #REST}. A stop of the node ends
 * both. Any thread; what is known of a balancer is guarded by the monitor, as requests and the end of the time come
 * from different threads.
 */
final class LimitedPauses implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedPauses.class);
    static final Duration LONGEST = Duration.ofDays(1);
    /** {@link RestingBalancers} asks again long before. */
    static final Duration REST = Duration.ofMinutes(5);

    private static final long IDLE_SECONDS = 10;

    /**
     * A pause under way.
     *
     * @param alsoRests whether it rests for somebody's work too
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
    /** By store and balancer; as many as there are balancers at most. */
    private final Map<String, State> states = new HashMap<>();
    /** By store and balancer: the number of the call that asked for the rest last. */
    private final Map<String, Long> rests = new HashMap<>();

    private long lastRest;

    /** @param rest how long a rest lasts that nobody asks for again */
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

    /** The pause of a balancer; null for none. */
    synchronized @Nullable Pause of(String store, String balancer) {
        State state = states.get(key(store, balancer));
        return state == null
                ? null
                : new Pause(
                        Math.max(1, TimeUnit.NANOSECONDS.toSeconds(state.untilNanos - nanoTime.getAsLong())),
                        state.alsoRests);
    }

    /** Takes the place of an earlier one. Fails as {@link BalanceControl#rest}, and for a time out of bounds. */
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
            return; // resumed, or paused anew
        }
        LOG.info("pause of a balancer is over store={} balancer={}", store, balancer);
        if (!state.alsoRests) {
            balancers.unrest(balancer).exceptionally(failure -> {
                LOG.warn("balancer not resumed store={} balancer={}", store, balancer, failure);
                return null;
            });
        }
    }

    /** As {@link BalanceControl#rest}, for a while; to be asked for again by who goes on with the work. */
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

    /** As {@link BalanceControl#unrest}; a pause goes on. */
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
