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
import org.jspecify.annotations.Nullable;

/** What is said of tenants now. Any thread. */
public final class Tenants {
    /** Whoever may name any tenant must not fill the memory: the matcher keeps a few hundred bytes of each. */
    private static final int MAX_UNLISTED = 100_000;

    private static final CompletableFuture<TenantAnswer> KNOWN = CompletableFuture.completedFuture(TenantAnswer.KNOWN);
    private static final CompletableFuture<TenantAnswer> TOO_MANY =
            CompletableFuture.completedFuture(TenantAnswer.TOO_MANY);

    /** Which setting limits what. */
    private static final Map<TenantResource, TenantSetting> QUOTAS = Map.of(
            TenantResource.CONNECTIONS, TenantSetting.MAX_CONNECTIONS,
            TenantResource.SESSIONS, TenantSetting.MAX_SESSIONS,
            TenantResource.SUBSCRIPTIONS, TenantSetting.MAX_SUBSCRIPTIONS,
            TenantResource.RETAINED_MESSAGES, TenantSetting.MAX_RETAINED_MESSAGES,
            TenantResource.RETAINED_BYTES, TenantSetting.MAX_RETAINED_BYTES,
            TenantResource.PUBLISH_RATE, TenantSetting.MAX_TENANT_PUBLISH_RATE,
            TenantResource.PUBLISH_BYTES, TenantSetting.MAX_TENANT_BANDWIDTH_IN,
            TenantResource.DELIVER_RATE, TenantSetting.MAX_TENANT_DELIVER_RATE,
            TenantResource.DELIVER_BYTES, TenantSetting.MAX_TENANT_BANDWIDTH_OUT,
            TenantResource.QUEUED_BYTES, TenantSetting.MAX_TENANT_QUEUED_BYTES);

    /** Written by whoever is told of changes, read on all event loops. Whoever writes bounds it. */
    private final ConcurrentMap<TenantId, TenantSettings> said = new ConcurrentHashMap<>();

    /** That have had clients here though nothing is said of them. Concurrent: written on all event loops. */
    private final Set<TenantId> unlisted = ConcurrentHashMap.newKeySet();

    private final int maxUnlisted;
    private final TenantAccounts accounts = new TenantAccounts(this::mostOf, System::nanoTime);

    /** Volatile: set once, before the first change. */
    private volatile @Nullable Runnable onChange;

    /** Null when nobody is to be asked. Volatile: set once, before the first client connects. */
    private volatile @Nullable Function<TenantId, CompletableFuture<TenantAnswer>> asking;

    public Tenants() {
        this(MAX_UNLISTED);
    }

    Tenants(int maxUnlisted) {
        this.maxUnlisted = maxUnlisted;
    }

    /** What the clients that this node has use together. */
    public TenantAccounts accounts() {
        return accounts;
    }

    /** By {@link TenantResource#ordinal}; what is limited for all nodes of a cluster together. */
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

    /** Whether it is said that there is such a tenant. */
    public boolean isListed(TenantId tenant) {
        return said.containsKey(tenant);
    }

    /** What is said of a tenant; the same object until that changes, null when nothing is said. */
    @Nullable
    TenantSettings of(TenantId tenant) {
        return said.get(tenant);
    }

    /**
     * Says something else of one tenant from now on; then has connected clients look for themselves.
     *
     * @param settings null when nothing is said of it
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

    /** The same of all tenants. */
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

    /** @param told after each change, on the thread that makes it; returns at once */
    public void onChange(Runnable told) {
        onChange = told;
    }

    /**
     * Somebody is to be asked about tenants before their clients have sessions; after those that are asked already, if
     * they know the tenant.
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
     * Complete when it is known what holds for a tenant that is to have a client; as a rule at once. Fails when that
     * cannot be found out now. Completes on any thread.
     */
    public CompletableFuture<TenantAnswer> known(TenantId tenant) {
        Function<TenantId, CompletableFuture<TenantAnswer>> question = asking;
        if (question != null) { // who answers bounds them
            return question.apply(tenant);
        }
        return tenant.equals(TenantId.DEFAULT) || isListed(tenant) || hasRoom(tenant) ? KNOWN : TOO_MANY;
    }

    /** Event loops may let in one too many each. */
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
