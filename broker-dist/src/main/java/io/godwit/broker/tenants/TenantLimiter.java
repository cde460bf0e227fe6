package io.godwit.broker.tenants;

import io.godwit.mqtt.quota.LimitSource;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.TenantLimits;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.throttle.TenantUsage;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines how much each tenant may use on this node: this node's share of what the tenant's settings and a plugin
 * allow in the whole cluster. Once a second, on a thread of its own, it measures the use of tenants with clients here,
 * asks the other nodes and the plugin, and updates the limits, which event loops read. In between it asks the other
 * nodes once more: the amounts in their answers are those of the moment, while rates take a second to measure.
 *
 * <p>The plugin is asked about a tenant before its first client gets a session, and then every second; an answer holds
 * until the next one. Thread-safe. Closed by the thread that wires the broker.
 */
public final class TenantLimiter implements LimitSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TenantLimiter.class);
    /** Nodes ask each other in each round; every second round measures rates too and asks the plugin. */
    private static final long ROUND_MILLIS = 500;
    /** Answers of several nodes arrive at about the same time: one update of the limits covers them all. */
    private static final long GATHER_MILLIS = 50;
    /** Bound of tenants that the plugin and other nodes are asked about. */
    static final int MAX_TENANTS = UsageWire.MAX_TENANTS;
    /** How long an answer is kept after the last client of the tenant has gone. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final List<TenantResource> RESOURCES = List.of(TenantResource.values());

    /** @param wantedNanos when a client of the tenant was last connected or connecting */
    private record Answer(TenantLimits limits, long wantedNanos) {}

    /** @param totals of rates, at one time */
    private record Totals(Map<TenantResource, Long> totals, long atNanos) {}

    private final TenantAccounts accounts;
    private final @Nullable ResourceThrottler throttler;
    private final UsageExchange others;
    private final LongSupplier nanoClock;

    private final ConcurrentMap<TenantId, Answer> answers = new ConcurrentHashMap<>();
    private final ConcurrentMap<TenantId, CompletableFuture<TenantAnswer>> asked = new ConcurrentHashMap<>();
    /** Questions about tenants without an earlier answer. Atomic: all event loops ask. */
    private final AtomicInteger coming = new AtomicInteger();

    /** Volatile: set once by the thread that wires the broker. */
    private volatile WaitingTenants waiting = WaitingTenants.NONE;

    /** Confined to the thread. */
    private Map<TenantId, Totals> before = Map.of();

    /** Whether the last round was one in between. Confined to the thread. */
    private boolean isHalf;

    /** The use of tenants with clients here in the last second. Volatile: replaced every second, read by any thread. */
    private volatile Map<TenantId, TenantUse> rates = Map.of();

    /** Whether an update of the limits is scheduled for an answer of another node. Atomic: RPC threads contend. */
    private final AtomicBoolean hasHeard = new AtomicBoolean();

    /** Volatile: RPC threads schedule tasks on it. */
    private volatile @Nullable ScheduledExecutorService thread;

    /**
     * @param accounts the accounts to limit from now on
     * @param throttler null for none; its calls never throw, since it is guarded
     */
    public TenantLimiter(
            TenantAccounts accounts,
            @Nullable ResourceThrottler throttler,
            UsageExchange others,
            LongSupplier nanoClock) {
        this.accounts = accounts;
        this.throttler = throttler;
        this.others = others;
        this.nanoClock = nanoClock;
        accounts.limitedBy(this, throttler != null);
        others.tell(this::use);
        others.onAnswer(this::heard);
    }

    /** Also limits these queues, which may belong to tenants without clients here. Call before the start. */
    public void bound(WaitingTenants queues) {
        waiting = queues;
    }

    /** Begins the rounds. */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until it is shut down
    public void start() {
        ScheduledExecutorService made = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread named = new Thread(task, "tenant-usage");
            named.setDaemon(true);
            return named;
        });
        thread = made;
        made.scheduleWithFixedDelay(this::round, ROUND_MILLIS, ROUND_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Applies an answer of another node soon, without waiting for the next round. Any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the thread
    private void heard() {
        ScheduledExecutorService running = thread;
        if (running == null || !hasHeard.compareAndSet(false, true)) {
            return;
        }
        try {
            running.schedule(this::retune, GATHER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("an answer has come after the end");
        }
    }

    private void retune() {
        hasHeard.set(false);
        accounts.tick();
        boundWaiting(waiting.withQueues());
    }

    // ---- limits

    @Override
    public long[] most(TenantId tenant, long[] most) {
        Answer answer = answers.get(tenant);
        List<TenantUse> elsewhere = others.others(tenant);
        for (TenantResource each : RESOURCES) {
            long limit = most[each.ordinal()];
            if (answer != null) {
                OptionalLong said = answer.limits().most(each);
                limit = said.isPresent() ? Math.min(limit, said.getAsLong()) : limit;
            }
            most[each.ordinal()] = limit == TenantAccount.ANY ? limit : NodeShare.share(each, limit, elsewhere);
        }
        return most;
    }

    // ---- the plugin

    /** Completes when the plugin has answered how much a tenant may use; fails when it does not answer. Any thread. */
    public CompletableFuture<TenantAnswer> known(TenantId tenant) {
        if (throttler == null) {
            return CompletableFuture.completedFuture(TenantAnswer.KNOWN);
        }
        Answer known =
                answers.computeIfPresent(tenant, (same, answer) -> new Answer(answer.limits(), nanoClock.getAsLong()));
        if (known != null) {
            return CompletableFuture.completedFuture(TenantAnswer.KNOWN);
        }
        CompletableFuture<TenantAnswer> underWay = asked.get(tenant);
        if (underWay != null) {
            return underWay;
        }
        if (answers.size() + coming.get() >= MAX_TENANTS) {
            LOG.debug("more tenants than can be tenant={} most={}", tenant.value(), MAX_TENANTS);
            return CompletableFuture.completedFuture(TenantAnswer.TOO_MANY);
        }
        return question(throttler, tenant, TenantUse.NONE);
    }

    /** Asks the plugin, unless a question is under way. */
    private CompletableFuture<TenantAnswer> question(ResourceThrottler asking, TenantId tenant, TenantUse here) {
        CompletableFuture<TenantAnswer> answer = new CompletableFuture<>();
        CompletableFuture<TenantAnswer> underWay = asked.putIfAbsent(tenant, answer);
        if (underWay != null) {
            return underWay;
        }
        boolean isNew = !answers.containsKey(tenant);
        if (isNew) {
            coming.incrementAndGet();
        }
        asking.limits(usage(tenant, here)).whenComplete((limits, failure) -> {
            if (isNew) {
                coming.decrementAndGet();
            }
            answered(tenant, answer, limits, failure);
        });
        return answer;
    }

    private void answered(
            TenantId tenant,
            CompletableFuture<TenantAnswer> waiting,
            @Nullable TenantLimits limits,
            @Nullable Throwable failure) {
        asked.remove(tenant);
        if (limits == null) {
            LOG.debug("no limits of a tenant tenant={} cause={}", tenant.value(), String.valueOf(failure));
            waiting.completeExceptionally(failure == null ? new IllegalStateException("no answer") : failure);
            return;
        }
        answers.compute(
                tenant,
                (same, present) -> new Answer(limits, present == null ? nanoClock.getAsLong() : present.wantedNanos()));
        accounts.retune(tenant);
        waiting.complete(TenantAnswer.KNOWN);
    }

    private TenantUsage usage(TenantId tenant, TenantUse here) {
        Map<TenantResource, Long> all = new EnumMap<>(TenantResource.class);
        List<TenantUse> elsewhere = others.others(tenant);
        TenantAccount account = accounts.peek(tenant);
        for (TenantResource each : RESOURCES) {
            long sum = here.of(each) + account.usedByAll(each);
            for (TenantUse other : elsewhere) {
                sum += other.of(each);
            }
            if (sum > 0) {
                all.put(each, sum);
            }
        }
        return new TenantUsage(tenant, here.used(), all);
    }

    // ---- every second

    /** One round. */
    void round() {
        isHalf = !isHalf;
        try {
            if (isHalf) {
                others.ask(limited(waiting.withQueues()));
            } else {
                look();
            }
        } catch (RuntimeException | Error e) { // the thread's outermost frame: must not end the schedule
            LOG.warn("check of the usage of tenants failed", e);
        }
    }

    /** Every second round. */
    void look() {
        count();
        Set<TenantId> withQueues = waiting.withQueues();
        others.ask(limited(withQueues));
        askPlugin(withQueues);
        accounts.tick();
        boundWaiting(withQueues);
    }

    /** The tenants that other nodes are asked about. */
    private Collection<TenantId> limited(Set<TenantId> withQueues) {
        Set<TenantId> limited = new LinkedHashSet<>();
        for (TenantAccount each : accounts.all()) {
            if (limited.size() < MAX_TENANTS && isLimited(each)) {
                limited.add(each.tenant());
            }
        }
        for (TenantId each : withQueues) {
            if (limited.size() < MAX_TENANTS && accounts.most(each, TenantResource.QUEUED_BYTES) != TenantAccount.ANY) {
                limited.add(each);
            }
        }
        return limited;
    }

    private void boundWaiting(Set<TenantId> withQueues) {
        Map<TenantId, Long> most = new HashMap<>();
        for (TenantId each : withQueues) {
            long limit = accounts.most(each, TenantResource.QUEUED_BYTES);
            if (limit != TenantAccount.ANY) {
                most.put(each, limit);
            }
        }
        waiting.boundQueues(most);
    }

    private boolean isLimited(TenantAccount account) {
        return throttler != null || RESOURCES.stream().anyMatch(each -> account.most(each) != TenantAccount.ANY);
    }

    private void count() {
        long now = nanoClock.getAsLong();
        Map<TenantId, Totals> totals = new HashMap<>();
        Map<TenantId, TenantUse> lately = new HashMap<>();
        for (TenantAccount each : accounts.all()) {
            Totals last = before.get(each.tenant());
            Totals next = totals(each, now);
            totals.put(each.tenant(), next);
            lately.put(each.tenant(), lately(each, last, next));
        }
        before = totals;
        rates = lately;
    }

    private static Totals totals(TenantAccount account, long now) {
        Map<TenantResource, Long> totals = new EnumMap<>(TenantResource.class);
        for (TenantResource each : RESOURCES) {
            if (each.isRate()) {
                totals.put(each, account.used(each));
            }
        }
        return new Totals(totals, now);
    }

    private static TenantUse lately(TenantAccount account, @Nullable Totals last, Totals next) {
        Map<TenantResource, Long> used = new EnumMap<>(TenantResource.class);
        Set<TenantResource> shortOf = EnumSet.noneOf(TenantResource.class);
        double seconds = last == null ? 1 : Math.max(0.1, (next.atNanos() - last.atNanos()) / 1e9);
        next.totals().forEach((rate, total) -> {
            // a re-created account counts from 0 again
            long more = Math.max(0, total - (last == null ? 0 : last.totals().getOrDefault(rate, 0L)));
            long perSecond = Math.round(more / seconds);
            if (perSecond > 0) {
                used.put(rate, perSecond);
            }
            if (account.takeHeld(rate)) {
                shortOf.add(rate);
            }
        });
        return new TenantUse(used, shortOf);
    }

    /** The use of a tenant on this node, for other nodes and the plugin. Any thread. */
    private TenantUse use(TenantId tenant) {
        TenantUse lately = rates.getOrDefault(tenant, TenantUse.NONE);
        TenantAccount account = accounts.peek(tenant);
        Map<TenantResource, Long> used = new EnumMap<>(TenantResource.class);
        for (TenantResource each : RESOURCES) {
            long value = each.isRate() ? lately.of(each) : account.used(each);
            if (value > 0) {
                used.put(each, Math.min(value, UsageWire.MOST));
            }
        }
        return new TenantUse(used, lately.shortOf());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // without an answer the last one stays valid
    private void askPlugin(Set<TenantId> withQueues) {
        ResourceThrottler asking = throttler;
        if (asking == null) {
            return;
        }
        long now = nanoClock.getAsLong();
        Set<TenantId> tenants = new LinkedHashSet<>();
        accounts.all().forEach(each -> tenants.add(each.tenant()));
        int withClients = tenants.size();
        tenants.addAll(withQueues);
        int number = 0;
        for (TenantId tenant : tenants) {
            // tenants without clients must not take all places
            int most = number++ < withClients ? MAX_TENANTS : MAX_TENANTS / 2;
            answers.computeIfPresent(tenant, (same, answer) -> new Answer(answer.limits(), now));
            if (answers.size() + coming.get() < most || answers.containsKey(tenant)) {
                question(asking, tenant, use(tenant));
            }
        }
        answers.values().removeIf(answer -> now - answer.wantedNanos() > FORGET_NANOS);
    }

    @Override
    public void close() {
        ScheduledExecutorService running = thread;
        if (running != null) {
            running.shutdownNow();
        }
    }
}
