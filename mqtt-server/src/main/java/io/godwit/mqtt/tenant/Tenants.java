package io.godwit.mqtt.tenant;

import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.throttle.TenantResource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The present settings of tenants. Any thread. */
public final class Tenants {
    /** Bounds the memory if clients may name any tenant: the matcher keeps a few hundred bytes for each. */
    private static final int MAX_UNLISTED = 100_000;

    private static final CompletableFuture<TenantAnswer> KNOWN = CompletableFuture.completedFuture(TenantAnswer.KNOWN);
    private static final CompletableFuture<TenantAnswer> TOO_MANY =
            CompletableFuture.completedFuture(TenantAnswer.TOO_MANY);

    /** The setting that limits each resource. */
    private static final Map<TenantResource, TenantSetting> QUOTAS = Map.ofEntries(
            Map.entry(TenantResource.CONNECTIONS, TenantSetting.MAX_CONNECTIONS),
            Map.entry(TenantResource.SESSIONS, TenantSetting.MAX_SESSIONS),
            Map.entry(TenantResource.SUBSCRIPTIONS, TenantSetting.MAX_SUBSCRIPTIONS),
            Map.entry(TenantResource.RETAINED_MESSAGES, TenantSetting.MAX_RETAINED_MESSAGES),
            Map.entry(TenantResource.RETAINED_BYTES, TenantSetting.MAX_RETAINED_BYTES),
            Map.entry(TenantResource.DELAYED_MESSAGES, TenantSetting.MAX_DELAYED_MESSAGES),
            Map.entry(TenantResource.PUBLISH_RATE, TenantSetting.MAX_TENANT_PUBLISH_RATE),
            Map.entry(TenantResource.PUBLISH_BYTES, TenantSetting.MAX_TENANT_BANDWIDTH_IN),
            Map.entry(TenantResource.DELIVER_RATE, TenantSetting.MAX_TENANT_DELIVER_RATE),
            Map.entry(TenantResource.DELIVER_BYTES, TenantSetting.MAX_TENANT_BANDWIDTH_OUT),
            Map.entry(TenantResource.QUEUED_BYTES, TenantSetting.MAX_TENANT_QUEUED_BYTES));

    /** Written by the threads that report changes, which also bound its size; read on all event loops. */
    private final ConcurrentMap<TenantId, TenantSettings> said = new ConcurrentHashMap<>();

    /** Tenants without settings that have had clients here. Concurrent: written on all event loops. */
    private final Set<TenantId> unlisted = ConcurrentHashMap.newKeySet();

    private final int maxUnlisted;
    private final TenantAccounts accounts = new TenantAccounts(this::mostOf, System::nanoTime);

    /** Volatile: set once, before the first change. */
    private volatile @Nullable Runnable onChange;

    /** Null without a source to ask. Volatile: set once, before the first client connects. */
    private volatile @Nullable Function<TenantId, CompletableFuture<TenantAnswer>> asking;

    public Tenants() {
        this(MAX_UNLISTED);
    }

    Tenants(int maxUnlisted) {
        this.maxUnlisted = maxUnlisted;
    }

    /** The shared usage of each tenant's clients on this node. */
    public TenantAccounts accounts() {
        return accounts;
    }

    /** Limits by {@link TenantResource#ordinal}, for all nodes of a cluster together. */
    private long[] mostOf(TenantId tenant) {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        TenantSettings settings = said.get(tenant);
        if (settings != null) {
            QUOTAS.forEach((resource, setting) -> {
                long value = settings.get(setting).orElse(setting.defaultValue());
                most[resource.ordinal()] = value == 0 ? TenantAccount.ANY : value;
            });
        }
        return most;
    }

    /** Whether the tenant has settings. */
    public boolean isListed(TenantId tenant) {
        return said.containsKey(tenant);
    }

    /** Whether a flag that is off by default is on for a tenant. */
    public boolean has(TenantId tenant, TenantSetting flag) {
        TenantSettings settings = said.get(tenant);
        return settings != null && settings.get(flag).orElse(0) != 0;
    }

    /** The tenants for which it is on. */
    public Set<TenantId> with(TenantSetting flag) {
        return said.keySet().stream().filter(tenant -> has(tenant, flag)).collect(Collectors.toSet());
    }

    /** The settings of a tenant; the same object until they change, null when it has none. */
    @Nullable
    TenantSettings of(TenantId tenant) {
        return said.get(tenant);
    }

    /**
     * Sets the settings of one tenant, then notifies the change listener.
     *
     * @param settings null to remove them
     */
    public void say(TenantId tenant, @Nullable TenantSettings settings) {
        if (settings == null) {
            said.remove(tenant);
        } else {
            said.put(tenant, settings);
        }
        accounts.retune(tenant);
        changed();
    }

    /** Replaces the settings of all tenants. */
    public void replace(Map<TenantId, TenantSettings> next) {
        said.putAll(next);
        said.keySet().retainAll(next.keySet());
        accounts.tick();
        changed();
    }

    private void changed() {
        Runnable told = onChange;
        if (told != null) {
            told.run();
        }
    }

    /** @param told run after each change, on the thread that makes it; must return at once */
    public void onChange(Runnable told) {
        onChange = told;
    }

    /**
     * Adds a source to ask about tenants before their clients have sessions; called after earlier sources, if those
     * know the tenant.
     *
     * @param question called on event loops; its future fails when there is no answer
     */
    public void ask(Function<TenantId, CompletableFuture<TenantAnswer>> question) {
        Function<TenantId, CompletableFuture<TenantAnswer>> first = asking;
        asking = first == null
                ? question
                : tenant -> first.apply(tenant)
                        .thenCompose(answer -> answer == TenantAnswer.KNOWN
                                ? question.apply(tenant)
                                : CompletableFuture.completedFuture(answer));
    }

    /**
     * Complete when the settings of a tenant that is to have a client are known; usually at once. Fails when they
     * cannot be found out now. Completes on any thread.
     */
    public CompletableFuture<TenantAnswer> known(TenantId tenant) {
        Function<TenantId, CompletableFuture<TenantAnswer>> question = asking;
        if (question == null) {
            return mayCome(tenant) ? KNOWN : TOO_MANY;
        }
        // a tenant that the source has listed meanwhile does not count towards the bound
        return question.apply(tenant)
                .thenApply(answer -> answer != TenantAnswer.KNOWN || mayCome(tenant) ? answer : TenantAnswer.TOO_MANY);
    }

    private boolean mayCome(TenantId tenant) {
        return tenant.equals(TenantId.DEFAULT) || isListed(tenant) || hasRoom(tenant);
    }

    /** Like {@link #known}, for a tenant without a client: it does not count towards the bound. */
    public CompletableFuture<TenantAnswer> said(TenantId tenant) {
        Function<TenantId, CompletableFuture<TenantAnswer>> question = asking;
        return question == null ? KNOWN : question.apply(tenant);
    }

    /** Each event loop may let in one too many. */
    private boolean hasRoom(TenantId tenant) {
        if (unlisted.contains(tenant)) {
            return true;
        }
        if (unlisted.size() >= maxUnlisted) {
            return false;
        }
        unlisted.add(tenant);
        return true;
    }
}
