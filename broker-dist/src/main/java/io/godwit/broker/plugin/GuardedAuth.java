package io.godwit.broker.plugin;

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
 * The auth provider of a plugin, behind {@link GuardedCalls}. No answer is a failed future, which the
 * {@link io.godwit.mqtt.auth.Authorizer} takes for a no. Thread-safe.
 *
 * <p>Event loops ask for {@link AuthProvider#rulesVersion} for every publish and cannot wait for it. Of a provider that
 * may block it is asked for on a thread of the plugin ten times a second, and loops are told what came last; while it
 * does not come, nothing is remembered. A provider that leaves the method out is not asked.
 */
final class GuardedAuth implements ClientDecisions {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedAuth.class);
    /** A version that is older is none. */
    private static final long MAX_AGE_NANOS = 1_000_000_000L;

    private final AuthProvider provider;
    private final HostedPlugin plugin;
    private final Decisions decisions;
    private final GuardedCalls calls;
    private final LongSupplier nanoClock;
    private final Set<AuthCheck> checks;
    private final boolean hasVersions;
    /** Asks for versions, so that no calls are before it. */
    private final ThreadPoolExecutor versions;

    /** How often another version of the provider was seen. Guarded by this; volatile for those who read it only. */
    private volatile long generation;

    private volatile long lastVersion;
    /** For answers that are not to be remembered: below all that {@link Decisions} has. Atomic: any thread. */
    private final AtomicLong never = new AtomicLong(Long.MIN_VALUE);

    /** When the version was last known, while it is asked for elsewhere. Written by threads of the plugin in turn. */
    private volatile long versionNanos;
    /** Whether somebody asks for it. Volatile: set by who watches, unset by who has asked. */
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
        this.versions = PluginThreads.of("plugin-" + plugin.name() + "-version", plugin.classes(), 1, 1, plugin.mark());
        this.versionNanos = nanoClock.getAsLong();
        if (hasVersions) {
            plugin.onTick(this::tick);
        }
    }

    /** @param provider as its factory has made it */
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

    /** One that knows no methods is not asked for them. */
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

    // ---- what is remembered

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

    /** A number that rises with every other version of the provider; a new negative one while it is not known. */
    private long version() {
        if (plugin.isInline()) {
            try {
                return generationOf(plugin.run((Supplier<Long>) provider::rulesVersion));
            } catch (Throwable e) { // outermost frame of the plugin, which may throw what nobody declares
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
        } catch (Throwable e) { // outermost frame of the plugin, which may throw what nobody declares
            plugin.reports().fault(PluginFault.THREW, "rulesVersion threw " + Thrown.text(e));
        } finally {
            isVersionAsked = false;
        }
    }

    /** Blocks, but not for ever. */
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
