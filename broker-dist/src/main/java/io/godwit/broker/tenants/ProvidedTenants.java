package io.godwit.broker.tenants;

import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combines the settings of tenants from their file and from a provider. The provider is asked about a tenant once at a
 * time, and its answer is kept. Any thread. One lock guards the state; only short code of ours runs under it. Changes
 * are reported in their order, on the thread that made them.
 */
public final class ProvidedTenants implements TenantChanges, AutoCloseable {
    /** Bound of tenants that the provider was asked about; those of the file do not count. */
    static final int MAX_TENANTS = 10_000;

    private static final Executor LATER = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);
    private static final Executor MUCH_LATER = CompletableFuture.delayedExecutor(5, TimeUnit.SECONDS);
    private static final Logger LOG = LoggerFactory.getLogger(ProvidedTenants.class);

    /** Receives the combined settings. */
    public interface Target {
        /**
         * Called under the lock, so one call at a time; must return at once.
         *
         * @param settings null if neither source has settings of the tenant any more
         */
        void said(TenantId tenant, @Nullable TenantSettings settings);
    }

    private final Target target;
    private final Executor retries;
    private final Object lock = new Object();
    private Map<TenantId, TenantSettings> ofFile = Map.of();
    /** Empty for a tenant that the provider has deleted. */
    private final Map<TenantId, Optional<TenantSettings>> provided = new HashMap<>();
    /** Of {@link #provided}, those that are deleted, the earliest first. They give way to other tenants. */
    private final Set<TenantId> deleted = new LinkedHashSet<>();
    /** Questions under way. */
    private final Map<TenantId, CompletableFuture<TenantAnswer>> asked = new HashMap<>();
    /** Of {@link #asked}, the tenants that are not in {@link #provided}. */
    private final Set<TenantId> coming = new HashSet<>();
    /** Tenants with a question under way that must be asked about again. */
    private final Set<TenantId> outdated = new HashSet<>();
    /** Tenants whose change the provider has not answered; they are asked about again some seconds later. */
    private final Set<TenantId> unanswered = new HashSet<>();

    /** Null without a provider, and before it was created. Volatile: set by the starter. */
    private volatile @Nullable TenantSettingsProvider provider;

    /** Volatile: set by the thread that closes the broker. */
    private volatile boolean isClosed;

    public ProvidedTenants(Target target) {
        this(target, MUCH_LATER);
    }

    /** @param retries runs a task some seconds later */
    ProvidedTenants(Target target, Executor retries) {
        this.target = target;
        this.retries = retries;
    }

    /** Uses this provider from now on. Its calls never throw, since it is guarded. */
    public void ask(TenantSettingsProvider made) {
        provider = made;
    }

    /** Replaces the settings of the file. */
    public void ofFile(Map<TenantId, TenantSettings> said) {
        synchronized (lock) {
            Map<TenantId, TenantSettings> before = ofFile;
            ofFile = Map.copyOf(said);
            Set<TenantId> all = new HashSet<>(before.keySet());
            all.addAll(said.keySet());
            for (TenantId tenant : all) {
                if (!Objects.equals(before.get(tenant), said.get(tenant))) {
                    tell(tenant);
                }
            }
        }
    }

    /** Called under the lock. */
    private void tell(TenantId tenant) {
        TenantSettings file = ofFile.get(tenant);
        TenantSettings own = provided.getOrDefault(tenant, Optional.empty()).orElse(null);
        target.said(tenant, own == null ? file : own.over(file == null ? TenantSettings.NONE : file));
    }

    /** Completes when all settings of a tenant are known; fails when the provider does not answer. */
    public CompletableFuture<TenantAnswer> known(TenantId tenant) {
        TenantSettingsProvider asking = provider;
        if (asking == null) {
            return CompletableFuture.completedFuture(TenantAnswer.KNOWN);
        }
        CompletableFuture<TenantAnswer> answer = new CompletableFuture<>();
        synchronized (lock) {
            Optional<TenantSettings> settings = provided.get(tenant);
            if (settings != null && settings.isPresent()) {
                return CompletableFuture.completedFuture(TenantAnswer.KNOWN);
            }
            CompletableFuture<TenantAnswer> underWay = asked.get(tenant);
            if (underWay != null) {
                return underWay;
            }
            if (settings == null && provided.size() + coming.size() >= MAX_TENANTS && !forgetDeleted()) {
                LOG.debug("more tenants than can be tenant={} most={}", tenant.value(), MAX_TENANTS);
                return CompletableFuture.completedFuture(TenantAnswer.TOO_MANY);
            }
            if (settings == null) {
                coming.add(tenant);
            }
            asked.put(tenant, answer);
        }
        question(asking, tenant);
        return answer;
    }

    /** Called under the lock. Returns whether there is room for another tenant now. */
    private boolean forgetDeleted() {
        for (TenantId each : deleted) {
            if (!asked.containsKey(each)) {
                deleted.remove(each);
                provided.remove(each);
                return true;
            }
        }
        return false;
    }

    /** Called without the lock, since code of the provider may run here. */
    private void question(TenantSettingsProvider asking, TenantId tenant) {
        asking.settings(tenant).whenComplete((settings, failure) -> answered(tenant, settings, failure));
    }

    @SuppressWarnings("NullableOptional") // null with a failure, as in futures
    private void answered(TenantId tenant, @Nullable Optional<TenantSettings> settings, @Nullable Throwable failure) {
        CompletableFuture<TenantAnswer> waiting;
        boolean isOutdated;
        boolean isFirstUnanswered = false;
        synchronized (lock) {
            isOutdated = outdated.remove(tenant);
            waiting = asked.remove(tenant);
            coming.remove(tenant);
            if (settings != null) {
                take(tenant, settings);
            } else if (provided.getOrDefault(tenant, Optional.empty()).isPresent()) { // no CONNECT asks for it again
                isFirstUnanswered = unanswered.isEmpty();
                unanswered.add(tenant);
            }
        }
        if (isFirstUnanswered) {
            retries.execute(this::retry);
        }
        if (isOutdated) { // later: a provider may report a change in each answer
            LATER.execute(() -> changed(tenant));
        }
        if (settings == null) {
            LOG.debug("settings of a tenant not provided tenant={} cause={}", tenant.value(), String.valueOf(failure));
        }
        if (waiting != null && settings == null) {
            waiting.completeExceptionally(failure == null ? new IllegalStateException("no answer") : failure);
        } else if (waiting != null) {
            waiting.complete(settings != null && settings.isPresent() ? TenantAnswer.KNOWN : TenantAnswer.NO_TENANT);
        }
    }

    private void retry() {
        Set<TenantId> all;
        synchronized (lock) {
            all = new HashSet<>(unanswered);
            unanswered.clear();
        }
        if (!isClosed) {
            all.forEach(this::changed);
        }
    }

    /** Called under the lock. */
    private void take(TenantId tenant, Optional<TenantSettings> settings) {
        Optional<TenantSettings> before = provided.get(tenant);
        if (settings.isPresent()) {
            provided.put(tenant, settings);
            deleted.remove(tenant);
        } else if (before != null) {
            provided.put(tenant, Optional.empty()); // kept for its connected clients; the next CONNECT asks again
            deleted.add(tenant);
        }
        if (before == null ? settings.isPresent() : !before.equals(settings)) {
            tell(tenant);
        }
    }

    @Override
    public void changed(TenantId tenant) {
        TenantSettingsProvider asking = provider;
        if (asking == null) {
            return;
        }
        synchronized (lock) {
            if (asked.containsKey(tenant)) {
                outdated.add(tenant);
                return;
            }
            if (!provided.containsKey(tenant)) {
                return;
            }
            asked.put(tenant, new CompletableFuture<>());
        }
        question(asking, tenant);
    }

    @Override
    public void changed() {
        Set<TenantId> all;
        synchronized (lock) {
            all = new HashSet<>(provided.keySet());
            all.addAll(asked.keySet());
        }
        all.forEach(this::changed);
    }

    /** Ends the repeated questions. */
    @Override
    public void close() {
        isClosed = true;
    }
}
