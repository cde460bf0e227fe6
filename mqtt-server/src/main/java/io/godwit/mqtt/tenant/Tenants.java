package io.godwit.mqtt.tenant;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is said of tenants now. Any thread. */
public final class Tenants {
    private static final CompletableFuture<TenantAnswer> KNOWN = CompletableFuture.completedFuture(TenantAnswer.KNOWN);

    /** Written by whoever is told of changes, read on all event loops. Whoever writes bounds it. */
    private final ConcurrentMap<TenantId, TenantSettings> said = new ConcurrentHashMap<>();

    private final TenantCounts counts = new TenantCounts();

    /** Volatile: set once, before the first change. */
    private volatile @Nullable Runnable onChange;

    /** Null when nobody is to be asked. Volatile: set once, before the first client connects. */
    private volatile @Nullable Function<TenantId, CompletableFuture<TenantAnswer>> asking;

    /** The clients that this node has. */
    public TenantCounts counts() {
        return counts;
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
        changed();
    }

    /** The same of all tenants. */
    public void replace(Map<TenantId, TenantSettings> next) {
        said.putAll(next);
        said.keySet().retainAll(next.keySet());
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
     * Somebody is to be asked about tenants before their clients have sessions.
     *
     * @param question called on event loops; its future fails when there is no answer
     */
    public void ask(Function<TenantId, CompletableFuture<TenantAnswer>> question) {
        asking = question;
    }

    /**
     * Complete when it is known what holds for a tenant; as a rule at once. Fails when that cannot be found out now.
     * Completes on any thread.
     */
    public CompletableFuture<TenantAnswer> known(TenantId tenant) {
        Function<TenantId, CompletableFuture<TenantAnswer>> question = asking;
        return question == null ? KNOWN : question.apply(tenant);
    }
}
