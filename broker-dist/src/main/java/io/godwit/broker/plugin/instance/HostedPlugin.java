package io.godwit.broker.plugin.instance;

import io.godwit.broker.plugin.context.CallMark;
import io.godwit.broker.plugin.context.HostContext;
import io.godwit.broker.plugin.context.PluginReports;
import io.godwit.broker.plugin.context.PluginThreads;
import io.godwit.broker.plugin.context.Thrown;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginHealth;
import io.godwit.plugin.event.PluginFault;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One plugin in use: its life cycle, its threads and its faults. Life-cycle calls come from the thread that starts and
 * closes the broker; the rest is thread-safe.
 */
public final class HostedPlugin implements InlineCalls.Owner {
    /** The largest bound of unanswered calls of one plugin. */
    public static final int MAX_CALLS = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(HostedPlugin.class);

    private static final int MAX_THREADS = 64;
    private static final int MAX_DETAIL = 200;
    /** How many threads a plugin may create itself before that is reported. */
    public static final int MAX_OWN_THREADS = 250;

    private final String kind;
    private final String name;
    private final PluginHome home;
    private final @Nullable Plugin own;
    private final PluginThreads threads;
    private final PluginReports reports;
    private final InlineCalls inline;
    private final LongSupplier nanoClock;
    private final CallLimits limits;
    private final CircuitBreaker breaker;
    private final Runnable onChange;
    private final InlineCalls.SlowCalls slow = new InlineCalls.SlowCalls();
    private final List<LongConsumer> ticks = new CopyOnWriteArrayList<>();
    private final CallMark mark;
    private final ThreadPoolExecutor health;
    /** Null for a plugin without a context. */
    private @Nullable HostContext context;
    /** Created when the number of threads is known. */
    private @Nullable ThreadPoolExecutor calls;

    private boolean isStopped;

    /** Whether calls are made on the broker's threads. Volatile: any thread that finds it blocking resets it. */
    private volatile boolean isInline;

    private volatile boolean hasLostInline;
    private volatile @Nullable PluginHealth lastHealth;
    /**
     * When it was asked for its health, while it has not answered; otherwise 0. Volatile: written by two threads, one
     * at a time.
     */
    private volatile long healthAskedNanos;

    private final AtomicBoolean isHealthLateTold = new AtomicBoolean();
    /** How it may have ended the process before; empty if it has not. Set before the start. */
    private volatile String suspicion = "";
    /** The number of its own threads, if too high; otherwise 0. Volatile: written by the watching thread. */
    private volatile int tooManyThreads;

    /** @param onChange called when the state shown to operators has changed; on any thread */
    public HostedPlugin(
            FoundPlugin found,
            PluginThreads threads,
            PluginReports reports,
            InlineCalls inline,
            LongSupplier nanoClock,
            CallLimits limits,
            int leastFailures,
            Runnable onChange) {
        this.kind = found.kind();
        this.name = found.name();
        this.home = found.home();
        this.own = found.own();
        this.threads = threads;
        this.reports = reports;
        this.inline = inline;
        this.nanoClock = nanoClock;
        this.limits = limits;
        this.onChange = onChange;
        this.mark = threads.mark();
        this.breaker = new CircuitBreaker(nanoClock, leastFailures, reports::calls, onChange);
        this.health = threads.pool("health", 1, 1);
    }

    public String kind() {
        return kind;
    }

    public String name() {
        return name;
    }

    public PluginHome home() {
        return home;
    }

    public CallLimits limits() {
        return limits;
    }

    public PluginReports reports() {
        return reports;
    }

    public CircuitBreaker breaker() {
        return breaker;
    }

    /** Creates further threads for it. */
    public PluginThreads threads() {
        return threads;
    }

    public boolean hasContext() {
        return own != null;
    }

    /** Its threads for calls. */
    public ThreadPoolExecutor calls() {
        ThreadPoolExecutor made = calls;
        if (made == null) {
            throw new IllegalStateException(name + " has not been created");
        }
        return made;
    }

    // ---- life cycle

    /**
     * Passes its context to the plugin.
     *
     * @throws IOException naming all wrong settings, or the plugin's exception
     */
    public void create(HostContext given, ConfiguredSettings settings) throws IOException {
        Plugin plugin = own;
        int callThreads = 4;
        if (plugin != null) {
            context = given;
            IOException failure = null;
            try {
                bounded("create", limits.start(), () -> {
                    plugin.create(given);
                    return "";
                });
            } catch (IOException e) {
                failure = e;
            }
            List<String> errors = settings.allErrors();
            if (!errors.isEmpty()) { // the cause of the failure, probably
                throw new IOException(String.join("\n", errors), failure);
            }
            if (failure != null) {
                throw failure;
            }
            isInline = bounded("isNonBlocking", limits.start(), plugin::isNonBlocking);
            callThreads = Math.max(1, Math.min(MAX_THREADS, bounded("threads", limits.start(), plugin::threads)));
        }
        calls = threads.pool("call", callThreads, MAX_CALLS);
    }

    public void start() throws IOException {
        Plugin plugin = own;
        HostContext given = context;
        if (plugin == null || given == null) {
            return;
        }
        given.makeDirectory();
        bounded("start", limits.start(), () -> {
            plugin.start();
            return "";
        });
    }

    /** Stops the plugin, after the objects that it has created were closed. Further calls do nothing. */
    public void stop() {
        if (isStopped) {
            return;
        }
        isStopped = true;
        Plugin plugin = own;
        if (plugin != null && context != null) {
            try {
                bounded("stop", limits.stop(), () -> {
                    plugin.stop();
                    return "";
                });
            } catch (IOException e) {
                LOG.warn("plugin not stopped cleanly plugin={} kind={}", name, kind, e);
            }
        }
        if (calls != null) {
            calls.shutdownNow();
        }
        health.shutdownNow();
        if (context != null) {
            context.close();
        }
    }

    /**
     * Makes one call, while this thread waits for it.
     *
     * @throws IOException naming the plugin and its exception
     */
    public <T> T bounded(String what, Duration limit, Callable<T> call) throws IOException {
        try {
            return BoundedCall.run("plugin-" + name + "-" + what, home.classes(), limit, () -> {
                boolean hasEntered = mark.enter();
                try {
                    return call.call();
                } finally {
                    mark.leave(hasEntered);
                }
            });
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(label() + " does not " + what + ": " + Thrown.text(cause), cause);
        } catch (PluginCallException e) {
            reports.fault(PluginFault.NO_ANSWER, what + " " + e.getMessage());
            throw new IOException(label() + " does not " + what + ": it " + e.getMessage(), e);
        }
    }

    /** Names the plugin in messages. */
    public String label() {
        return "the plugin " + name + " (" + kind + " of " + home.source() + ")";
    }

    // ---- calls on the broker's threads

    public boolean isInline() {
        return isInline;
    }

    /** Ensures that it is never called on the broker's threads, even if it declares not to block. */
    public void keepOffThreadsOfBroker() {
        isInline = false;
    }

    /** Runs the plugin's code on this thread. Exceptions are passed on. */
    public <T> T run(Supplier<T> call) {
        boolean hasEntered = mark.enter();
        try {
            return inline.run(this, call);
        } finally {
            mark.leave(hasEntered);
        }
    }

    @Override
    public void blocks(String detail) {
        synchronized (this) { // many threads may find it blocking at once
            if (!isInline) {
                return;
            }
            isInline = false;
            hasLostInline = true;
        }
        LOG.warn("plugin blocks threads of the broker plugin={} kind={} detail={}", name, kind, detail);
        reports.fault(PluginFault.BLOCKED, detail);
        onChange.run();
    }

    @Override
    public ClassLoader classes() {
        return home.classes();
    }

    @Override
    public InlineCalls.SlowCalls slow() {
        return slow;
    }

    // ---- periodic checks

    /** @param tick called about ten times a second, with the time, on the watching thread; must return at once */
    public void onTick(LongConsumer tick) {
        ticks.add(tick);
    }

    public void tick(long nowNanos) {
        ticks.forEach(each -> each.accept(nowNanos));
        long asked = healthAskedNanos;
        if (asked != 0 && nowNanos - asked > limits.health().toNanos() && !isHealthLateTold.getAndSet(true)) {
            told(PluginHealth.down("does not report its health"));
        }
    }

    /** Asks the plugin for its health; the answer comes later. */
    public void askHealth() {
        HostContext given = context;
        Plugin plugin = own;
        if (given == null || plugin == null || healthAskedNanos != 0) {
            return;
        }
        long now = nanoClock.getAsLong();
        healthAskedNanos = now == 0 ? 1 : now;
        try {
            health.execute(() -> {
                PluginHealth answer = answerOf(plugin);
                healthAskedNanos = 0;
                isHealthLateTold.set(false);
                told(answer);
                given.meters().refresh();
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("plugin is stopping plugin={}", name);
        }
    }

    private static PluginHealth answerOf(Plugin plugin) {
        try {
            PluginHealth answer = plugin.health();
            return answer == null ? PluginHealth.down("null instead of its health") : answer;
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            return PluginHealth.down("health threw " + Thrown.text(e));
        }
    }

    private void told(PluginHealth now) {
        PluginHealth before = lastHealth;
        lastHealth = now;
        boolean wasUp = before == null || before.isUp();
        if (wasUp && !now.isUp()) {
            LOG.warn("plugin is not well plugin={} kind={} detail={}", name, kind, detailOf(now));
            reports.fault(PluginFault.UNHEALTHY, detailOf(now));
        }
        if (wasUp != now.isUp()) {
            onChange.run();
        }
    }

    /** Called before the start: the plugin ended the process before, or was being called at its end. */
    public void suspected(String detail) {
        suspicion = detail;
        reports.fault(PluginFault.SUSPECTED, detail);
        onChange.run();
    }

    /** @param count the number of threads that it has created itself */
    public void ownThreads(int count) {
        int before = tooManyThreads;
        if (count > MAX_OWN_THREADS) {
            tooManyThreads = count;
            if (before == 0) {
                String detail = count + " threads of its own";
                LOG.warn("plugin makes too many threads plugin={} kind={} count={}", name, kind, count);
                reports.fault(PluginFault.TOO_MANY_THREADS, detail);
                onChange.run();
            }
        } else if (before > 0 && count <= MAX_OWN_THREADS / 2) { // else a warning every ten seconds
            tooManyThreads = 0;
            onChange.run();
        }
    }

    private static String detailOf(PluginHealth health) {
        String detail = String.valueOf(health.detail());
        return detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
    }

    /** The warning for operators; empty if there is none. */
    public String warning() {
        StringBuilder text = new StringBuilder();
        if (breaker.state() != CircuitBreaker.State.CLOSED) {
            text.append("is not called for a while, since it does not answer");
        }
        if (hasLostInline) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append("has blocked threads of the broker, and is called on its own");
        }
        PluginHealth known = lastHealth;
        if (known != null && !known.isUp()) {
            text.append(text.isEmpty() ? "" : "; ").append("is not well: ").append(detailOf(known));
        }
        if (tooManyThreads > 0) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append("has made more than ")
                    .append(MAX_OWN_THREADS)
                    .append(" threads");
        }
        if (!suspicion.isEmpty()) {
            text.append(text.isEmpty() ? "" : "; ").append("is suspected: ").append(suspicion);
        }
        return text.isEmpty() ? "" : "plugin " + name + " (" + kind + ") " + text;
    }

    public PluginState state() {
        PluginHealth known = lastHealth;
        return new PluginState(
                kind,
                name,
                known == null
                        ? PluginState.Health.UNKNOWN
                        : known.isUp() ? PluginState.Health.UP : PluginState.Health.DOWN,
                known == null ? "" : detailOf(known),
                isInline,
                reports.calls(),
                reports.nanos() / 1_000_000,
                reports.faults(),
                reports.last(),
                breaker.state());
    }
}
