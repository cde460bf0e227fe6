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

/** The accounts of tenants that have clients on this node, or had some a few seconds ago. Any thread. */
public final class TenantAccounts {
    /** How long an account outlives its last client: else its rates would restart each time. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Function<TenantId, long[]> settings;
    private final LongSupplier nanoClock;
    /** Concurrent: connections come and go on all event loops. */
    private final ConcurrentMap<TenantId, TenantAccount> accounts = new ConcurrentHashMap<>();

    // volatile: set once, before the first client connects
    private volatile Holdings holdings = Holdings.NONE;
    private volatile @Nullable LimitSource source;
    private volatile boolean isMetered;
    private volatile TenantCounting counting = TenantCounting.NONE;

    /**
     * @param settings the limits of a tenant's settings, by {@link TenantResource#ordinal}, in a new array
     * @param nanoClock monotonic
     */
    public TenantAccounts(Function<TenantId, long[]> settings, LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
    }

    /** Sets the stores' amounts; call before the first client connects. */
    public void holdings(Holdings stores) {
        holdings = stores;
    }

    /**
     * Sets the source that may change the limits; call before the first client connects.
     *
     * @param metersAll whether messages of tenants without limits are counted too
     */
    public void limitedBy(LimitSource last, boolean metersAll) {
        source = last;
        isMetered = metersAll;
    }

    /** Sets which tenants are counted. Called before the first client connects. */
    public void countedBy(TenantCounting by) {
        counting = by;
    }

    private long[] mostOf(TenantId tenant) {
        long[] most = settings.apply(tenant);
        LimitSource last = source;
        return last == null ? most : last.most(tenant, most);
    }

    /**
     * Counts a client that connects.
     *
     * @return the exceeded resource; null when the client is counted, and then {@link #leave} must follow
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
        TenantAccount made = new TenantAccount(tenant, holdings, nanoClock, isMetered, mostOf(tenant));
        made.count(counting.of(tenant));
        return made;
    }

    public void leave(TenantId tenant) {
        TenantAccount account = accounts.get(tenant);
        if (account != null) { // an account exists for as long as it has clients
            account.leave();
        }
    }

    /** The account of a tenant; the same object for as long as it has clients. */
    public TenantAccount of(TenantId tenant) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present : accounts.computeIfAbsent(tenant, this::make);
    }

    /** For reading only: the account of a tenant, or a new one that is not kept. */
    public TenantAccount peek(TenantId tenant) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present : make(tenant);
    }

    /** The limit of a resource on this node, also for a tenant without clients. */
    public long most(TenantId tenant, TenantResource resource) {
        TenantAccount present = accounts.get(tenant);
        return present != null ? present.most(resource) : mostOf(tenant)[resource.ordinal()];
    }

    /** Number of clients of a tenant now. */
    public long connections(TenantId tenant) {
        TenantAccount account = accounts.get(tenant);
        return account == null ? 0 : account.connections();
    }

    /** The number of its connected sessions that outlive their connection. */
    public long attachedSessions(TenantId tenant) {
        TenantAccount account = accounts.get(tenant);
        return account == null ? 0 : account.attachedSessions();
    }

    /** All accounts, as a live view. */
    public Collection<TenantAccount> all() {
        return Collections.unmodifiableCollection(accounts.values());
    }

    /** Reads the limits of a tenant again, which may have changed. */
    public void retune(TenantId tenant) {
        accounts.computeIfPresent(tenant, (same, account) -> {
            account.limit(mostOf(same));
            account.count(counting.of(same));
            return account;
        });
    }

    /**
     * Reads the limits of all tenants again, and forgets tenants that have had no client for a while. Call at least
     * once a second.
     */
    public void tick() {
        long now = nanoClock.getAsLong();
        for (TenantId each : accounts.keySet()) {
            accounts.computeIfPresent(each, (tenant, account) -> {
                if (account.isIdle(now, IDLE_NANOS)) {
                    return null;
                }
                account.limit(mostOf(tenant));
                account.count(counting.of(tenant));
                return account;
            });
        }
        counting.tick();
    }
}
