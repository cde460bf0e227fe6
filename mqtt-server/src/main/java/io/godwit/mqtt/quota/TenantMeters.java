package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of tenants. A bounded number of tenants have their own series, all others share one. Only tenants that
 * operators have named get their own: a client that may name any tenant must neither make a series nor take a place.
 * {@link #tick} registers series, since that takes locks. Series stay until the process ends. Any thread.
 */
public final class TenantMeters implements TenantCounting {
    /** No tenant can have such a name. */
    static final String OTHERS = "(other)";

    private final int most;
    private final Predicate<TenantId> isNamed;
    private final Predicate<TenantId> isTold;
    private final TenantAccounts accounts;
    private final Holdings holdings;
    private final MeterRegistry registry;
    /** Free places for series. Atomic: all event loops take them. */
    private final AtomicInteger places;

    /** The tenants that are counted alone: those with series, and those that get their figures. */
    private final ConcurrentMap<TenantId, TenantCounts> counts = new ConcurrentHashMap<>();

    private final TenantCounts others = new TenantCounts(false);
    /** Tenants with a place whose series are not registered yet. */
    private final Queue<TenantId> fresh = new ConcurrentLinkedQueue<>();

    /**
     * @param most the number of tenants with their own series; 0 for no meters
     * @param isNamed whether operators have named a tenant; others get no series
     * @param isTold whether a tenant gets its figures, even without meters
     */
    public TenantMeters(
            int most,
            Predicate<TenantId> isNamed,
            Predicate<TenantId> isTold,
            TenantAccounts accounts,
            Holdings holdings,
            MeterRegistry registry) {
        this.most = most;
        this.isNamed = isNamed;
        this.isTold = isTold;
        this.accounts = accounts;
        this.holdings = holdings;
        this.registry = registry;
        this.places = new AtomicInteger(most);
        if (most > 0) {
            registerOthers();
            of(TenantId.DEFAULT);
            tick();
        }
    }

    @Override
    public @Nullable TenantCounts of(TenantId tenant) {
        TenantCounts own = alone(tenant);
        return own != null || most == 0 ? own : others;
    }

    /** The counts of this tenant alone; null if it is counted together with others. */
    public @Nullable TenantCounts alone(TenantId tenant) {
        TenantCounts own = counts.get(tenant);
        return own != null ? own : counts.computeIfAbsent(tenant, this::begin);
    }

    private @Nullable TenantCounts begin(TenantId tenant) {
        boolean hasSeries = most > 0 && isNamed.test(tenant) && places.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        if (hasSeries) {
            fresh.add(tenant);
        }
        return hasSeries || isTold.test(tenant) ? new TenantCounts(hasSeries) : null;
    }

    /** Counts a message that a stored session of a tenant does not get. */
    public void dropped(TenantId tenant) {
        TenantCounts own = of(tenant);
        if (own != null) {
            own.add(TenantCount.DROPPED, 1);
        }
    }

    // ---- series

    @Override
    public void tick() {
        for (TenantId tenant = fresh.poll(); tenant != null; tenant = fresh.poll()) {
            register(tenant);
        }
    }

    private void register(TenantId tenant) {
        TenantCounts own = counts.get(tenant);
        if (own == null) {
            return;
        }
        for (TenantCount each : TenantCount.values()) {
            counter(each, tenant.value(), own, all -> all.sum(each));
        }
        gauges(tenant.value(), self -> self.accounts.connections(tenant), self -> self.sessions(tenant));
    }

    private void registerOthers() {
        for (TenantCount each : TenantCount.values()) {
            counter(each, OTHERS, this, self -> self.sumOfOthers(each));
        }
        gauges(OTHERS, TenantMeters::connectionsOfOthers, TenantMeters::sessionsOfOthers);
    }

    private <T> void counter(TenantCount what, String tenant, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder("godwit.tenant." + what.meter(), of, value)
                .description(what.description())
                .baseUnit(what.unit())
                .tag("tenant", tenant)
                .register(registry);
    }

    private void gauges(
            String tenant, ToDoubleFunction<TenantMeters> connections, ToDoubleFunction<TenantMeters> sessions) {
        Gauge.builder("godwit.tenant.connections", this, connections)
                .description("clients of the tenant that are connected to this node")
                .tag("tenant", tenant)
                .register(registry);
        Gauge.builder("godwit.tenant.sessions", this, sessions)
                .description("sessions of the tenant that outlive their connection: those that are connected to this"
                        + " node, and others that it leads")
                .tag("tenant", tenant)
                .register(registry);
    }

    private long sessions(TenantId tenant) {
        return accounts.attachedSessions(tenant) + holdings.detachedSessions(tenant);
    }

    // ---- tenants without series

    private double sumOfOthers(TenantCount what) {
        long sum = others.sum(what);
        for (TenantCounts each : counts.values()) {
            sum += each.hasSeries() ? 0 : each.sum(what);
        }
        return sum;
    }

    private boolean hasSeries(TenantId tenant) {
        TenantCounts own = counts.get(tenant);
        return own != null && own.hasSeries();
    }

    private double connectionsOfOthers() {
        long sum = 0;
        for (TenantAccount each : accounts.all()) {
            sum += hasSeries(each.tenant()) ? 0 : each.connections();
        }
        return sum;
    }

    private double sessionsOfOthers() {
        long sum = holdings.detachedSessions();
        for (TenantAccount each : accounts.all()) {
            sum += hasSeries(each.tenant()) ? 0 : each.attachedSessions();
        }
        for (TenantId each : counts.keySet()) {
            sum -= hasSeries(each) ? holdings.detachedSessions(each) : 0;
        }
        return Math.max(0, sum);
    }
}
