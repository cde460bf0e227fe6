package io.godwit.broker.plugin;

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
 * One plugin that is in use: its life cycle, its threads, and what is held against it. Life-cycle calls come from the
 * thread that starts and closes the broker; the rest is thread-safe.
 */
final class HostedPlugin implements InlineCalls.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(HostedPlugin.class);

    private static final int MAX_THREADS = 64;
    private static final int MAX_DETAIL = 200;
    /** Threads that a plugin may make itself before it is told of. */
    static final int MAX_OWN_THREADS = 250;

    private final String kind;
    private final String name;
    private final PluginHome home;
    private final @Nullable Plugin own;
    private final PluginReports reports;
    private final InlineCalls inline;
    private final LongSupplier nanoClock;
    private final Limits limits;
    private final CircuitBreaker breaker;
    private final Runnable onChange;
    private final InlineCalls.SlowCalls slow = new InlineCalls.SlowCalls();
    private final List<LongConsumer> ticks = new CopyOnWriteArrayList<>();
    private final CallMark mark;
    private final ThreadPoolExecutor health;
    /** Null for one without a context. */
    private @Nullable HostContext context;
    /** Made when it is known how many threads there are to be. */
    private @Nullable ThreadPoolExecutor calls;

    private boolean isStopped;

    /** Whether calls are made on the broker's threads. Volatile: any thread that sees it block takes it away. */
    private volatile boolean isInline;

    private volatile boolean hasLostInline;
    private volatile @Nullable PluginHealth lastHealth;
    /** When it was asked how it is, while it has not answered; else 0. Volatile: written by two threads in turn. */
    private volatile long healthAskedNanos;

    private final AtomicBoolean isHealthLateTold = new AtomicBoolean();
    /** How it may have ended the process before; empty if not. Set before it starts. */
    private volatile String suspicion = "";
    /** How many threads it has made, when those are too many; else 0. Volatile: of the thread that watches. */
    private volatile int tooManyThreads;

    /** @param onChange told when what operators should know has changed; on any thread */
    HostedPlugin(
            String kind,
            String name,
            PluginHome home,
            @Nullable Plugin own,
            PluginReports reports,
            InlineCalls inline,
            LongSupplier nanoClock,
            Limits limits,
            int leastFailures,
            CallMark mark,
            Runnable onChange) {
        this.kind = kind;
        this.name = name;
        this.home = home;
        this.own = own;
        this.reports = reports;
        this.inline = inline;
        this.nanoClock = nanoClock;
        this.limits = limits;
        this.onChange = onChange;
        this.mark = mark;
        this.breaker = new CircuitBreaker(nanoClock, leastFailures, reports::calls, onChange);
        this.health = PluginThreads.of("plugin-" + name + "-health", home.classes(), 1, 1, mark);
    }

    String kind() {
        return kind;
    }

    String name() {
        return name;
    }

    PluginHome home() {
        return home;
    }

    Limits limits() {
        return limits;
    }

    PluginReports reports() {
        return reports;
    }

    CircuitBreaker breaker() {
        return breaker;
    }

    /** Told of its calls while they run. */
    CallMark mark() {
        return mark;
    }

    boolean hasContext() {
        return own != null;
    }

    /** Its threads for calls. */
    ThreadPoolExecutor calls() {
        ThreadPoolExecutor made = calls;
        if (made == null) {
            throw new IllegalStateException(name + " has not been created");
        }
        return made;
    }

    // ---- life cycle

    /**
     * Hands it its context.
     *
     * @throws IOException naming all settings that are wrong, or what it threw
     */
    void create(HostContext given, ConfiguredSettings settings) throws IOException {
        Plugin plugin = own;
        int threads = 4;
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
            if (!errors.isEmpty()) { // of which the failure may be a consequence
                throw new IOException(String.join("\n", errors), failure);
            }
            if (failure != null) {
                throw failure;
            }
            isInline = bounded("isNonBlocking", limits.start(), plugin::isNonBlocking);
            threads = Math.max(1, Math.min(MAX_THREADS, bounded("threads", limits.start(), plugin::threads)));
        }
        calls = PluginThreads.of("plugin-" + name + "-call", home.classes(), threads, GuardedCalls.MOST, mark);
    }

    void start() throws IOException {
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

    /** After what it has made was closed. Further calls do nothing. */
    void stop() {
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
     * One call, while this thread waits for it.
     *
     * @throws IOException naming the plugin, and what it threw
     */
    <T> T bounded(String what, Duration limit, Callable<T> call) throws IOException {
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

    /** For messages. */
    String label() {
        return "the plugin " + name + " (" + kind + " of " + home.source() + ")";
    }

    // ---- calls on the broker's threads

    boolean isInline() {
        return isInline;
    }

    /** It is never called on the broker's threads, whatever it says. */
    void keepOffThreadsOfBroker() {
        isInline = false;
    }

    /** Runs its code on this thread. What it throws goes on. */
    <T> T run(Supplier<T> call) {
        boolean hasEntered = mark.enter();
        try {
            return inline.run(this, call);
        } finally {
            mark.leave(hasEntered);
        }
    }

    @Override
    public void blocks(String detail) {
        synchronized (this) { // one of many threads that see it
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

    // ---- what is looked at from time to time

    /** @param tick called about ten times a second, with the time, on the thread that watches: returns at once */
    void onTick(LongConsumer tick) {
        ticks.add(tick);
    }

    void tick(long nowNanos) {
        ticks.forEach(each -> each.accept(nowNanos));
        long asked = healthAskedNanos;
        if (asked != 0 && nowNanos - asked > limits.health().toNanos() && !isHealthLateTold.getAndSet(true)) {
            told(PluginHealth.down("does not say how it is"));
        }
    }

    /** Has it asked how it is; the answer comes later. */
    void askHealth() {
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
        } catch (Throwable e) { // outermost frame of the plugin, which may throw what nobody declares
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

    /** Before it starts: the process before ended by it, or while it was called. */
    void suspected(String detail) {
        suspicion = detail;
        reports.fault(PluginFault.SUSPECTED, detail);
        onChange.run();
    }

    /** @param count threads that it has made itself, at the moment */
    void ownThreads(int count) {
        int before = tooManyThreads;
        if (count > MAX_OWN_THREADS) {
            tooManyThreads = count;
            if (before == 0) {
                String detail = count + " threads of its own";
                LOG.warn("plugin makes too many threads plugin={} kind={} count={}", name, kind, count);
                reports.fault(PluginFault.TOO_MANY_THREADS, detail);
                onChange.run();
            }
        } else if (before > 0 && count <= MAX_OWN_THREADS / 2) { // else it could be told of every ten seconds
            tooManyThreads = 0;
            onChange.run();
        }
    }

    private static String detailOf(PluginHealth health) {
        String detail = String.valueOf(health.detail());
        return detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
    }

    /** What an operator should know of it; empty for nothing. */
    String warning() {
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

    PluginState state() {
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
