package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Decisions;
import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.PluginFault;
import java.io.IOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The auth provider of a plugin, behind {@link GuardedCalls}. A missing answer is a failed future, which the {@link
 * io.godwit.mqtt.auth.Authorizer} treats as a denial. Thread-safe.
 *
 * <p>Event loops need {@link AuthProvider#rulesVersion} for every publish and cannot wait for it. A provider that may
 * block is asked for it ten times a second on a thread of the plugin, and loops use the last answer; without a recent
 * answer nothing is cached. A provider that does not override the method is not asked.
 */
public final class GuardedAuth implements ClientDecisions {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedAuth.class);
    /** A version of that age is not used any more. */
    private static final long MAX_AGE_NANOS = 1_000_000_000L;

    private final AuthProvider provider;
    private final HostedPlugin plugin;
    private final Decisions decisions;
    private final GuardedCalls calls;
    private final LongSupplier nanoClock;
    private final Set<AuthCheck> checks;
    private final boolean hasVersions;
    /** A thread for versions alone, so that calls do not delay them. */
    private final ThreadPoolExecutor versions;

    /** How often the provider's version has changed. Written with the lock held; volatile for readers. */
    private volatile long generation;

    private volatile long lastVersion;
    /** The version when nothing may be cached: below all of {@link Decisions}. Atomic: any thread. */
    private final AtomicLong never = new AtomicLong(Long.MIN_VALUE);

    /** When the last known version was asked for. Written by threads of the plugin, one at a time. */
    private volatile long versionNanos;
    /**
     * Whether a question for the version is under way. Volatile: set by the watching thread, reset by the asking one.
     */
    private volatile boolean isVersionAsked;

    private GuardedAuth(
            AuthProvider provider,
            HostedPlugin plugin,
            Decisions decisions,
            GuardedCalls calls,
            LongSupplier nanoClock,
            Set<AuthCheck> checks) {
        this.provider = provider;
        this.plugin = plugin;
        this.decisions = decisions;
        this.calls = calls;
        this.nanoClock = nanoClock;
        this.checks = checks;
        this.hasVersions = hasVersions(provider);
        this.versions = plugin.threads().pool("version", 1, 1);
        this.versionNanos = nanoClock.getAsLong();
        if (hasVersions) {
            plugin.onTick(this::tick);
        }
    }

    /** @param provider as created by its factory */
    static GuardedAuth of(
            AuthProvider provider,
            HostedPlugin plugin,
            Decisions decisions,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            throws IOException {
        Set<AuthCheck> checks = plugin.bounded("checks", plugin.limits().start(), () -> {
            Set<AuthCheck> wanted = EnumSet.noneOf(AuthCheck.class);
            wanted.addAll(provider.checks());
            return wanted;
        });
        GuardedAuth guarded = new GuardedAuth(
                provider, plugin, decisions, new GuardedCalls(plugin, nanoClock, timeoutMillis), nanoClock, checks);
        if (guarded.hasVersions) {
            guarded.lastVersion = plugin.bounded("rulesVersion", plugin.limits().start(), provider::rulesVersion);
        }
        return guarded;
    }

    private static boolean hasVersions(AuthProvider provider) {
        try {
            return provider.getClass().getMethod("rulesVersion").getDeclaringClass() != AuthProvider.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("the interface has it", e);
        }
    }

    GuardedCalls calls() {
        return calls;
    }

    @Override
    public Set<AuthCheck> checks() {
        return Collections.unmodifiableSet(checks);
    }

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        return calls.ask("connect", plugin.calls(), () -> provider.connect(request));
    }

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return calls.ask("publish", plugin.calls(), () -> provider.publish(request));
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return calls.ask("subscribe", plugin.calls(), () -> provider.subscribe(request));
    }

    /** Null for a provider that does not override the method. */
    @Override
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        try {
            Class<?> declaring = provider.getClass()
                    .getMethod("exchange", ExchangeRequest.class)
                    .getDeclaringClass();
            return declaring == AuthProvider.class ? null : new GuardedExchange(plugin, calls, provider, request);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("the interface has it", e);
        }
    }

    // ---- versions of decisions

    @Override
    public long rulesVersion() {
        return hasVersions ? version() : 0;
    }

    @Override
    public long rulesVersion(ClientInfo client) {
        if (!hasVersions) {
            return decisions.version(client.tenant(), client.clientId());
        }
        long own = version();
        return own < 0 ? own : own + decisions.version(client.tenant(), client.clientId());
    }

    /** A number that rises with each change of the provider's version; a new negative one while that is unknown. */
    private long version() {
        if (plugin.isInline()) {
            try {
                return generationOf(plugin.run((Supplier<Long>) provider::rulesVersion));
            } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
                plugin.reports().fault(PluginFault.THREW, "rulesVersion threw " + Thrown.text(e));
                return never.incrementAndGet();
            }
        }
        return nanoClock.getAsLong() - versionNanos > MAX_AGE_NANOS ? never.incrementAndGet() : generation;
    }

    private long generationOf(long version) {
        return version == lastVersion ? generation : next(version);
    }

    private synchronized long next(long version) {
        if (version != lastVersion) {
            lastVersion = version;
            generation = generation + 1;
        }
        return generation;
    }

    private void tick(long nowNanos) {
        if (plugin.isInline() || isVersionAsked) {
            return;
        }
        isVersionAsked = true;
        try {
            versions.execute(this::askVersion);
        } catch (RejectedExecutionException e) {
            isVersionAsked = false; // it is closed
        }
    }

    private void askVersion() {
        try {
            long began = nanoClock.getAsLong();
            generationOf(provider.rulesVersion());
            versionNanos = began;
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            plugin.reports().fault(PluginFault.THREW, "rulesVersion threw " + Thrown.text(e));
        } finally {
            isVersionAsked = false;
        }
    }

    /** Blocks for a limited time. */
    @Override
    public void close() {
        versions.shutdownNow();
        try {
            plugin.bounded("close", plugin.limits().stop(), () -> {
                provider.close();
                return "";
            });
        } catch (IOException e) {
            LOG.warn("auth provider not closed cleanly plugin={}", plugin.name(), e);
        }
    }
}
