package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The accounts of the tenants that have clients on this node, or had some seconds ago. Any thread. */
public final class TenantAccounts {
    /** So long an account stays for a tenant whose clients have gone: else its rates would begin anew each time. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Function<TenantId, long[]> settings;
    private final LongSupplier nanoClock;
    /** Concurrent: connections come and go on all event loops. */
    private final ConcurrentMap<TenantId, TenantAccount> accounts = new ConcurrentHashMap<>();

    // volatile: these are set once, before the first client connects
    private volatile Holdings holdings = Holdings.NONE;
    private volatile @Nullable LimitSource source;
    private volatile boolean isMetered;

    /**
     * @param settings what the settings of a tenant allow, by {@link TenantResource#ordinal}, in a new array
     * @param nanoClock monotonic
     */
    public TenantAccounts(Function<TenantId, long[]> settings, LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
    }

    /** Before the first client connects: what the stores hold. */
    public void holdings(Holdings stores) {
        holdings = stores;
    }

    /**
     * Before the first client connects: who has the last word on limits.
     *
     * @param metersAll whether the messages of tenants without limits are counted too
     */
    public void limitedBy(LimitSource last, boolean metersAll) {
        source = last;
        isMetered = metersAll;
    }

    private long[] mostOf(TenantId tenant) {
        long[] most = settings.apply(tenant);
        LimitSource last = source;
        return last == null ? most : last.most(tenant, most);
    }

    /**
     * Counts a client that connects.
     *
     * @return what there is too much of; null when it is counted, and {@link #leave} is due
     */
    public @Nullable TenantResource enter(TenantId tenant) {
        @Nullable TenantResource[] over = new @Nullable TenantResource[1];
        accounts.compute(tenant, (same, present) -> {
            TenantAccount account = present == null ? make(tenant) : present;
            over[0] = account.enter();
            return account;
        });
        return over[0];
    }

    private TenantAccount make(TenantId tenant) {
        return new TenantAccount(tenant, holdings, nanoClock, isMetered, mostOf(tenant));
    }

    public void leave(TenantId tenant) {
        TenantAccount account = accounts.get(tenant);
        if (account != null) { // it is there for as long as it has clients
            account.leave();
        }
    }

    /** That of a tenant; the same object for as long as it has clients. */
    public TenantAccount of(TenantId tenant) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present : accounts.computeIfAbsent(tenant, this::make);
    }

    /** To look at: that of a tenant, or one like it that is not kept. */
    public TenantAccount peek(TenantId tenant) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present : make(tenant);
    }

    /** The most of a resource on this node, whether the tenant has clients or not. */
    public long most(TenantId tenant, TenantResource resource) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present.most(resource) : mostOf(tenant)[resource.ordinal()];
    }

    /** How many clients a tenant has now. */
    public long connections(TenantId tenant) {
        TenantAccount account = accounts.get(tenant);
        return account == null ? 0 : account.connections();
    }

    /** Those that there are, live. */
    public Collection<TenantAccount> all() {
        return Collections.unmodifiableCollection(accounts.values());
    }

    /** Other limits may hold for a tenant from now on. */
    public void retune(TenantId tenant) {
        accounts.computeIfPresent(tenant, (same, account) -> {
            account.limit(mostOf(same));
            return account;
        });
    }

    /** The same for all tenants; forgets those that have had no client for a while. Once a second. */
    public void tick() {
        long now = nanoClock.getAsLong();
        for (TenantId each : accounts.keySet()) {
            accounts.computeIfPresent(each, (tenant, account) -> {
                if (account.isIdle(now, IDLE_NANOS)) {
                    return null;
                }
                account.limit(mostOf(tenant));
                return account;
            });
        }
    }
}
