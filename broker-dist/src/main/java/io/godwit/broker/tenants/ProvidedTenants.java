package io.godwit.broker.tenants;

import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import java.util.HashMap;
import java.util.HashSet;
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
 * What is said of tenants by their file and by a provider, put together. A provider is asked about a tenant once at a
 * time, and what it says is kept. Any thread; under one lock, which nothing is called under but short code of ours.
 * Changes are told in the order in which they happen, on the thread that brought them.
 */
public final class ProvidedTenants implements TenantChanges {
    /** Which a provider was asked about, beside those of the file. */
    static final int MAX_TENANTS = 10_000;

    private static final Executor LATER = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);
    private static final Logger LOG = LoggerFactory.getLogger(ProvidedTenants.class);

    /** Is told what is said. */
    public interface Target {
        /**
         * Under the lock, so one call at a time; returns at once.
         *
         * @param settings null when nothing is said of the tenant any more
         */
        void said(TenantId tenant, @Nullable TenantSettings settings);
    }

    private final Target target;
    private final Object lock = new Object();
    private Map<TenantId, TenantSettings> ofFile = Map.of();
    private final Map<TenantId, Optional<TenantSettings>> provided = new HashMap<>();
    /** Questions under way. */
    private final Map<TenantId, CompletableFuture<TenantAnswer>> asked = new HashMap<>();
    /** Of those, which have to be asked again. */
    private final Set<TenantId> outdated = new HashSet<>();

    /** Null until it is made, and without one. Volatile: set by the starter. */
    private volatile @Nullable TenantSettingsProvider provider;

    public ProvidedTenants(Target target) {
        this.target = target;
    }

    /** Questions go to it from now on. What it is asked never throws: it is guarded. */
    public void ask(TenantSettingsProvider made) {
        provider = made;
    }

    /** What the file says, from now on. */
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

    /** Under the lock. */
    private void tell(TenantId tenant) {
        TenantSettings file = ofFile.get(tenant);
        TenantSettings own = provided.getOrDefault(tenant, Optional.empty()).orElse(null);
        target.said(tenant, own == null ? file : own.over(file == null ? TenantSettings.NONE : file));
    }

    /** Complete when all is known that is said of a tenant; fails when the provider does not say. */
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
            if (provided.size() + asked.size() >= MAX_TENANTS) {
                LOG.debug("more tenants than can be tenant={} most={}", tenant.value(), MAX_TENANTS);
                return CompletableFuture.completedFuture(TenantAnswer.TOO_MANY);
            }
            asked.put(tenant, answer);
        }
        question(asking, tenant);
        return answer;
    }

    /** Not under the lock: the provider's code may run in it. */
    private void question(TenantSettingsProvider asking, TenantId tenant) {
        asking.settings(tenant).whenComplete((settings, failure) -> answered(tenant, settings, failure));
    }

    @SuppressWarnings("NullableOptional") // null with a failure, as futures have it
    private void answered(TenantId tenant, @Nullable Optional<TenantSettings> settings, @Nullable Throwable failure) {
        CompletableFuture<TenantAnswer> waiting;
        boolean isOutdated;
        synchronized (lock) {
            isOutdated = outdated.remove(tenant);
            waiting = asked.remove(tenant);
            if (settings != null) {
                take(tenant, settings);
            }
        }
        if (isOutdated) { // not at once: a provider may say so in each of its answers
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

    /** Under the lock. */
    private void take(TenantId tenant, Optional<TenantSettings> settings) {
        Optional<TenantSettings> before = provided.get(tenant);
        if (settings.isPresent()) {
            provided.put(tenant, settings);
        } else if (before != null) {
            provided.put(tenant, Optional.empty()); // its clients are connected still; asked for at the next CONNECT
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
}
