package io.godwit.inbox.carrier.home;

import io.godwit.inbox.carrier.link.Timer;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands for all inboxes: those under way to their homes and those that wait for one. Thread-safe; never blocks.
 *
 * <p>The way of a command. {@link #come} sends it at once, unless others of its inbox wait or no leader is known
 * ({@link HomeFlow}). Several may be under way, all at one home. An answer ends a command. After a refusal, which means
 * that nothing was done, the inbox waits until all commands under way are answered; refused ones keep the order they
 * were sent in. {@link #look} then sends all of them in a higher round, so that the home can tell them from earlier
 * commands that it has not seen yet ({@link InboxHome}). A command that has waited too long fails with {@code TIMEOUT},
 * though it certainly had no effect. When much waits, publishers are held back ({@link #isCrowded}). Only waiting
 * messages are checked against their {@link io.godwit.kv.client.Resend}: one that must not be sent now waits on, and
 * one that must not be sent any more fails with {@code CLOSED}.
 *
 * <p>Event loops ask, links and range executors answer, and a timer calls {@link #look}: hence the one lock, this
 * object. Answers are given outside the lock; an answer that comes during a send waits in {@link #tells}.
 */
final class HomeFlows {
    /** Least number of inboxes handled by one look; larger numbers are divided into {@link #PARTS}. */
    private static final int LEAST_LOOKED_AT = 1000;

    private static final int PARTS = 16;
    private static final int LOOKS_PER_REFRESH = 10;

    private final Homes homes;
    private final HomeSettings settings;
    private final WaitReports reports;
    private final LongSupplier nanoClock;
    private final Timer timer;

    // all guarded by this
    private final Map<InboxId, HomeFlow> flows = new HashMap<>();
    private final Set<HomeFlow> stopped = new LinkedHashSet<>();
    private final long[] rounds = new long[RefusalGate.SLOTS];
    private final ArrayDeque<Runnable> tells = new ArrayDeque<>();
    /** Flows with a new answer, handled one after the other: a send may fail at once, which is another answer. */
    private final ArrayDeque<HomeFlow> answered = new ArrayDeque<>(0);

    private boolean isGoingOn;
    private long lastNumber;
    private long waitingBytes;
    private long looks;
    private boolean isLookQueued;
    /** Whether a look without delay is scheduled, because leaders have changed. */
    private boolean isLookDue;

    private boolean isClosed;
    /** Written with the lock held. */
    private volatile boolean isCrowded;

    HomeFlows(Homes homes, HomeSettings settings, WaitReports reports, LongSupplier nanoClock, Timer timer) {
        this.homes = homes;
        this.settings = settings;
        this.reports = reports;
        this.nanoClock = nanoClock;
        this.timer = timer;
    }

    // --- new commands; callers hold the lock

    /** Sends a new step, or lets it wait. */
    void come(HomeStep step) {
        HomeFlow flow = flowOf(step);
        InboxHome home = place(flow, step);
        if (home != null) {
            step.send(home, flow.round());
        }
    }

    /** Takes a new step; returns the home that the caller must send it to now, null when it waits. */
    @Nullable
    InboxHome place(HomeStep step) {
        return place(flowOf(step), step);
    }

    private @Nullable InboxHome place(HomeFlow flow, HomeStep step) {
        InboxHome home = flow.homeFor(step, homes);
        if (home == null) {
            await(flow, step);
        } else {
            flow.sending(home, rounds);
            step.sending();
        }
        return home;
    }

    /** The round of a step that is under way. */
    long round(HomeStep step) {
        return openFlow(step).round();
    }

    private HomeFlow flowOf(HomeStep step) {
        step.number = ++lastNumber;
        step.deadlineNanos = nanoClock.getAsLong() + settings.waitMillis() * 1_000_000;
        return flows.computeIfAbsent(step.inbox, HomeFlow::new);
    }

    // --- waiting commands

    private void await(HomeFlow flow, HomeStep step) {
        if (isClosed) {
            fail(step, new RangeException(Cause.CLOSED, "store is closing"));
        } else if (waitingBytes + step.bytes() > roomFor(step)) {
            fail(
                    step,
                    new RangeException(
                            Cause.OVERLOADED, "more than " + roomFor(step) + " bytes wait for leaders of inboxes"));
        } else {
            waits(step.bytes());
            flow.await(step);
            stop(flow);
        }
        forgetIfDone(flow);
    }

    private long roomFor(HomeStep step) {
        return settings.maxWaitingBytes() + (step.isMessage() ? 0 : HomeSettings.COMMANDS_BYTES);
    }

    private void waits(long bytes) {
        waitingBytes += bytes;
        boolean isNow = waitingBytes > settings.maxWaitingBytes() / (isCrowded ? 4 : 2); // hysteresis
        if (isNow != isCrowded) {
            isCrowded = isNow;
        }
    }

    /** Whether so much waits that publishers must be held back. Any thread. */
    boolean isCrowded() {
        return isCrowded;
    }

    private void stop(HomeFlow flow) {
        if (stopped.add(flow)) {
            lookLater(settings.retryMillis());
        }
    }

    private void lookLater(long millis) {
        if (!isLookQueued) {
            isLookQueued = true;
            timer.later(millis, () -> {
                synchronized (this) {
                    isLookQueued = false;
                }
                look();
            });
        }
    }

    /** Other nodes may lead now. Any thread. */
    void leadersChanged() {
        boolean isWaiting;
        synchronized (this) {
            isWaiting = !stopped.isEmpty() && !isLookDue;
            isLookDue |= isWaiting;
        }
        if (isWaiting) {
            timer.later(0, this::look);
        }
    }

    /**
     * Sends waiting commands whose leader is known by now; fails those that have waited too long. Handles a part of the
     * inboxes at a time, so that the lock is free in between.
     */
    void look() {
        synchronized (this) {
            isLookDue = false;
            long now = nanoClock.getAsLong();
            boolean isMoving = false;
            try {
                for (HomeFlow flow : nextToLookAt()) {
                    expire(flow, now);
                    goOn(flow);
                    isMoving |= !stopped.contains(flow);
                }
            } finally { // a failure must not end the looks
                if (!stopped.isEmpty()) {
                    if (looks++ % LOOKS_PER_REFRESH == 0) {
                        homes.refresh();
                    }
                    lookLater(isMoving ? 1 : settings.retryMillis());
                }
            }
        }
        tell();
    }

    /** Takes the next inboxes in turn: those taken now come again after all others. */
    private List<HomeFlow> nextToLookAt() {
        int count = Math.max(LEAST_LOOKED_AT, stopped.size() / PARTS);
        List<HomeFlow> next = stopped.stream().limit(count).toList();
        if (next.size() < stopped.size()) {
            next.forEach(stopped::remove);
            stopped.addAll(next);
        }
        return next;
    }

    private void expire(HomeFlow flow, long now) {
        for (HomeStep step = flow.takeExpired(now); step != null; step = flow.takeExpired(now)) {
            waits(-step.bytes());
            fail(step, new RangeException(Cause.TIMEOUT, "no leader took the request"));
            if (!isClosed) {
                String leader = homes.inWords(flow.inbox());
                tellLater(() -> reports.ranOut(
                        NodeWait.HOME,
                        Duration.ofMillis(settings.waitMillis()),
                        () -> "inbox of " + flow.inbox().clientId().value() + ", " + leader));
            }
        }
    }

    private void goOn(HomeFlow flow) {
        flow.goOn();
        for (HomeStep next = flow.next(); next != null; next = flow.next()) {
            boolean isAbandoned = next.isAbandoned(); // read once: another thread may end the connection meanwhile
            InboxHome home = isAbandoned || next.mustWait() ? null : flow.homeFor(next, homes);
            if (home == null && !isAbandoned) {
                break;
            }
            flow.take(next);
            waits(-next.bytes());
            if (home != null) {
                flow.sending(home, rounds);
                next.sending();
                next.send(home, flow.round());
            } else {
                abandon(next);
            }
        }
        if (flow.next() == null) {
            stopped.remove(flow);
        }
        forgetIfDone(flow);
    }

    private void forgetIfDone(HomeFlow flow) {
        if (flow.isDone()) {
            stopped.remove(flow);
            flows.remove(flow.inbox(), flow);
        }
    }

    /** Stops sending. */
    void close() {
        synchronized (this) {
            isClosed = true;
            for (HomeFlow flow : List.copyOf(stopped)) {
                expire(flow, Long.MAX_VALUE);
                forgetIfDone(flow);
            }
        }
        tell();
    }

    /** Approximate heap of waiting commands, in bytes. Any thread. */
    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /** Inboxes with commands under way or waiting. Any thread. */
    synchronized int size() {
        return flows.size();
    }

    // --- answers; callers hold the lock

    /** A step was carried out. */
    void ended(HomeStep step) {
        HomeFlow flow = openFlow(step);
        flow.answered(step);
        continueWhenIdle(flow);
    }

    /** A step has failed for good. */
    void failed(HomeStep step) {
        HomeFlow flow = openFlow(step);
        flow.failed();
        continueWhenIdle(flow);
    }

    /** Nothing was done: sends the step again, unless there is no room to wait. */
    void refused(HomeStep step) {
        HomeFlow flow = openFlow(step);
        int slot = RefusalGate.slotOf(step.inbox);
        rounds[slot] = Math.max(rounds[slot], flow.round() + 1);
        flow.refused();
        tellLater(step.refused());
        if (step.isAbandoned()) {
            abandon(step);
        } else {
            await(flow, step);
        }
        continueWhenIdle(flow);
    }

    /** Whether a later step was answered while this one is under way; a repeat of this one would come after that. */
    boolean isPassed(HomeStep step) {
        return openFlow(step).isPassed(step);
    }

    private HomeFlow openFlow(HomeStep step) {
        return Objects.requireNonNull(flows.get(step.inbox), "not under way");
    }

    /** Steps behind a refused one wait for all answers; then for another leader, until their deadline. */
    private void continueWhenIdle(HomeFlow flow) {
        answered.add(flow);
        if (isGoingOn) {
            return; // an outer call continues it
        }
        isGoingOn = true;
        try {
            for (HomeFlow next = answered.poll(); next != null; next = answered.poll()) {
                goOnWhenIdle(next);
            }
        } finally {
            isGoingOn = false;
        }
    }

    private void goOnWhenIdle(HomeFlow flow) {
        if (flow.isIdle() && flow.next() != null && !flow.isRefusedBy(homes)) {
            goOn(flow);
        } else {
            forgetIfDone(flow);
        }
    }

    /** Keeps an answer until the lock is free; {@link #tell} must follow. */
    void tellLater(@Nullable Runnable answer) {
        if (answer != null) {
            tells.add(answer);
        }
    }

    /** Fails the step, unless copies of the same message that are under way decide the answer. */
    private void abandon(HomeStep step) {
        fail(step, new RangeException(Cause.CLOSED, "its connection ended before a leader took it"));
    }

    private void fail(HomeStep step, RangeException cause) {
        tellLater(step.giveUp(cause));
    }

    /** Gives the answers that came while the lock was held; called after releasing it. */
    void tell() {
        if (Thread.holdsLock(this)) {
            return; // the holder of the lock does it
        }
        for (Runnable next = nextTell(); next != null; next = nextTell()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable nextTell() {
        return tells.poll();
    }
}
