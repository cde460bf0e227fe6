package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much the clients of one tenant use on this node, and their limits. Any thread: a tenant's connections are on all
 * event loops, and shared counts need no locks. For a tenant without limits, on a node that does not meter, a message
 * costs the read of a few fields.
 */
public final class TenantAccount {
    /** No limit. */
    public static final long ANY = Long.MAX_VALUE;

    private final TenantId tenant;
    private final Holdings holdings;
    private final LongSupplier nanoClock;
    private final boolean isMetered;

    /** The limits, by {@link TenantResource#ordinal}. Replaced as a whole when a limit changes. */
    private volatile long[] most;

    private volatile @Nullable SharedRate connects;
    private volatile @Nullable SharedRate publishes;
    private volatile @Nullable SharedRate bytes;
    private volatile @Nullable SharedRate copies;
    private volatile @Nullable SharedRate copiedBytes;

    /** Messages that come without a connection count like those of one connection. Guarded by {@link #takeDirect}. */
    private @Nullable SharedRate directPublishes;

    private @Nullable SharedRate directBytes;

    /** Atomic: all loops write the six counts below. */
    private final AtomicLong connections = new AtomicLong();

    private final AtomicLong sessions = new AtomicLong();
    /** Subscriptions that are admitted and may not be in the matcher yet. */
    private final AtomicLong subscribing = new AtomicLong();

    private final AtomicLong subscribingShared = new AtomicLong();
    /** Retained messages that are admitted and may not be in the store yet. */
    private final AtomicLong retaining = new AtomicLong();

    private final AtomicLong retainingBytes = new AtomicLong();

    // totals since the account was made
    private final LongAdder connected = new LongAdder();
    private final LongAdder published = new LongAdder();
    private final LongAdder read = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder deliveredBytes = new LongAdder();

    /** Null while the tenant is not counted. */
    private volatile @Nullable TenantCounts counts;

    private volatile boolean wasHeldAtConnects;
    private volatile boolean wasHeldAtPublishes;
    private volatile boolean wasHeldAtBytes;
    private volatile boolean wasHeldAtCopies;
    private volatile boolean wasHeldAtCopiedBytes;
    private volatile long usedAtNanos;

    /** @param isMetered whether messages are counted even without a limit */
    TenantAccount(TenantId tenant, Holdings holdings, LongSupplier nanoClock, boolean isMetered, long[] most) {
        this.tenant = tenant;
        this.holdings = holdings;
        this.nanoClock = nanoClock;
        this.isMetered = isMetered;
        this.usedAtNanos = nanoClock.getAsLong();
        this.most = most;
        limit(most);
    }

    public TenantId tenant() {
        return tenant;
    }

    /** Sets the limits, by {@link TenantResource#ordinal}. One call at a time. */
    void limit(long[] next) {
        most = next;
        connects = rate(connects, next[TenantResource.CONNECT_RATE.ordinal()]);
        publishes = rate(publishes, next[TenantResource.PUBLISH_RATE.ordinal()]);
        bytes = rate(bytes, next[TenantResource.PUBLISH_BYTES.ordinal()]);
        copies = rate(copies, next[TenantResource.DELIVER_RATE.ordinal()]);
        copiedBytes = rate(copiedBytes, next[TenantResource.DELIVER_BYTES.ordinal()]);
    }

    /** @param next where the tenant is counted from now on; null for nowhere */
    void count(@Nullable TenantCounts next) {
        counts = next;
    }

    private void count(TenantCount what, long more) {
        TenantCounts own = counts;
        if (own != null) {
            own.add(what, more);
        }
    }

    private @Nullable SharedRate rate(@Nullable SharedRate present, long perSecond) {
        if (perSecond == ANY) {
            return null;
        }
        long now = nanoClock.getAsLong();
        return present == null ? new SharedRate(perSecond, now) : present.at(perSecond, now);
    }

    /** The limit of a resource on this node, {@link #ANY} for none. */
    public long most(TenantResource resource) {
        return most[resource.ordinal()];
    }

    // ---- connections and sessions

    /**
     * Counts a client that connects.
     *
     * @return the exceeded resource; null when the client is counted, and then {@link #leave} must follow
     */
    @Nullable
    TenantResource enter() {
        usedAtNanos = nanoClock.getAsLong();
        if (!add(connections, 1, most(TenantResource.CONNECTIONS))) {
            return TenantResource.CONNECTIONS;
        }
        SharedRate rate = connects;
        if (rate != null && !rate.tryTake(nanoClock.getAsLong())) {
            connections.decrementAndGet();
            wasHeldAtConnects = true;
            return TenantResource.CONNECT_RATE;
        }
        connected.increment();
        return null;
    }

    void leave() {
        usedAtNanos = nanoClock.getAsLong();
        connections.decrementAndGet();
    }

    /** Whether it has no client and has had none for {@code forNanos}. */
    boolean isIdle(long nowNanos, long forNanos) {
        return connections.get() == 0 && nowNanos - usedAtNanos > forNanos;
    }

    /** Adds, unless that exceeds the limit. */
    private static boolean add(AtomicLong count, long more, long most) {
        if (count.addAndGet(more) <= most) {
            return true;
        }
        count.addAndGet(-more);
        return false;
    }

    public long connections() {
        return connections.get();
    }

    /** Counts a session that outlives its connection, new or resumed; {@link #sessionLeft} must follow. */
    public void sessionCame() {
        sessions.incrementAndGet();
    }

    public void sessionLeft() {
        sessions.decrementAndGet();
    }

    /** The sessions counted by {@link #sessionCame} that are still connected. */
    public long attachedSessions() {
        return sessions.get();
    }

    /** Whether there are more sessions than allowed, including those counted by {@link #sessionCame}. */
    public boolean hasTooManySessions() {
        long limit = most(TenantResource.SESSIONS);
        return limit != ANY && sessions.get() + holdings.detachedSessions(tenant) > limit;
    }

    // ---- subscriptions

    /**
     * Admits one more subscription.
     *
     * @param mostOfGroup limit of members of a shared group
     * @return the exceeded resource; null when it is admitted, and then {@link #subscribed} must follow
     */
    public @Nullable TenantResource subscribing(TopicFilter filter, long mostOfGroup) {
        long limit = most(TenantResource.SUBSCRIPTIONS);
        if (subscribing.incrementAndGet() > limit
                || limit != ANY
                        && subscribing.get() + holdings.liveSubscriptions(tenant) + holdings.storedSubscriptions(tenant)
                                > limit) {
            subscribing.decrementAndGet();
            return TenantResource.SUBSCRIPTIONS;
        }
        if (filter.isShared() && !sharedSubscribing(filter, mostOfGroup)) {
            subscribing.decrementAndGet();
            return TenantResource.SHARED_SUBSCRIPTIONS;
        }
        return null;
    }

    private boolean sharedSubscribing(TopicFilter filter, long mostOfGroup) {
        long pending = subscribingShared.incrementAndGet();
        long limit = most(TenantResource.SHARED_SUBSCRIPTIONS);
        boolean isOver = limit != ANY
                        && pending
                                        + holdings.liveSharedSubscriptions(tenant)
                                        + holdings.storedSharedSubscriptions(tenant)
                                > limit
                // other subscriptions under way may be for another group: better one too few for a moment
                || mostOfGroup != ANY && pending + holdings.groupMembers(tenant, filter) > mostOfGroup;
        if (isOver) {
            subscribingShared.decrementAndGet();
        }
        return !isOver;
    }

    /** An admitted subscription is in the matcher, or will not be there. */
    public void subscribed(TopicFilter filter) {
        subscribing.decrementAndGet();
        if (filter.isShared()) {
            subscribingShared.decrementAndGet();
        }
    }

    // ---- retained messages

    /** Whether retained messages are limited; else {@link #retaining} need not be called. */
    public boolean limitsRetained() {
        long[] limits = most;
        return limits[TenantResource.RETAINED_MESSAGES.ordinal()] != ANY
                || limits[TenantResource.RETAINED_BYTES.ordinal()] != ANY;
    }

    /**
     * Admits a message to be retained.
     *
     * @param payloadBytes not 0, which clears a message
     * @return the exceeded resource; null when it is admitted, and then {@link #retained} must follow
     */
    public @Nullable TenantResource retaining(String topic, int payloadBytes) {
        long before = holdings.retainedBytes(tenant, topic);
        long messages = retaining.incrementAndGet();
        long growing = retainingBytes.addAndGet(payloadBytes);
        TenantResource over = null;
        if (before < 0 && messages + holdings.retainedMessages(tenant) > most(TenantResource.RETAINED_MESSAGES)) {
            over = TenantResource.RETAINED_MESSAGES;
        } else if (payloadBytes > before
                && growing - Math.max(0, before) + holdings.retainedBytes(tenant)
                        > most(TenantResource.RETAINED_BYTES)) {
            over = TenantResource.RETAINED_BYTES;
        }
        if (over != null) {
            retained(payloadBytes);
        }
        return over;
    }

    /** An admitted message is in the store, or will not be there. */
    public void retained(int payloadBytes) {
        retaining.decrementAndGet();
        retainingBytes.addAndGet(-payloadBytes);
    }

    // ---- delayed messages

    /** Whether fewer delayed messages wait than may. The store of these messages counts those that it is writing. */
    public boolean hasRoomForDelayed() {
        long limit = most(TenantResource.DELAYED_MESSAGES);
        return limit == ANY || holdings.delayedMessages(tenant) < limit;
    }

    // ---- rates

    /** Counts bytes that a client has sent. Returns how many nanoseconds to pause its reading, 0 for none. */
    public long bytesRead(int count) {
        count(TenantCount.BYTES_IN, count);
        return takeBytes(count);
    }

    private long takeBytes(int count) {
        SharedRate rate = bytes;
        if (rate == null) {
            if (isMetered) {
                read.add(count);
            }
            return 0;
        }
        read.add(count);
        long owed = rate.take(count, nanoClock.getAsLong());
        if (owed > 0) {
            wasHeldAtBytes = true;
        }
        return owed;
    }

    /** The nanoseconds until the debt of bytes is paid. */
    public long bytesOwedNanos() {
        return owed(bytes, nanoClock.getAsLong());
    }

    /** Counts a PUBLISH that a client has sent. Returns how many nanoseconds to pause its reading, 0 for none. */
    public long publishRead() {
        count(TenantCount.PUBLISHES_IN, 1);
        SharedRate rate = publishes;
        if (rate == null) {
            if (isMetered) {
                published.increment();
            }
            return 0;
        }
        published.increment();
        long owed = rate.take(1, nanoClock.getAsLong());
        if (owed > 0) {
            wasHeldAtPublishes = true;
        }
        return owed;
    }

    /** The nanoseconds until the debt of publishes is paid. */
    public long publishesOwedNanos() {
        return owed(publishes, nanoClock.getAsLong());
    }

    /** Whether deliveries are limited; else {@link #deliveriesOwedNanos} need not be called. */
    public boolean limitsDeliveries() {
        return copies != null || copiedBytes != null;
    }

    /**
     * Counts a message that comes without a connection. There is no connection to slow down, so a message over a rate
     * is refused. Synchronized: the few threads that publish this way share two rates.
     *
     * @param mostPublishes messages per second of one connection, 0 for no limit
     * @param mostBytes bytes per second of one connection, 0 for no limit
     * @return the setting whose rate is exhausted; null if the message is admitted
     */
    public synchronized @Nullable TenantSetting takeDirect(int size, long mostPublishes, long mostBytes) {
        long now = nanoClock.getAsLong();
        usedAtNanos = now;
        directPublishes = rate(directPublishes, mostPublishes == 0 ? ANY : mostPublishes);
        directBytes = rate(directBytes, mostBytes == 0 ? ANY : mostBytes);
        if (directBytes != null && directBytes.owedNanos(now) > 0) {
            return TenantSetting.MAX_BANDWIDTH_IN;
        }
        if (bytesOwedNanos() > 0) {
            wasHeldAtBytes = true;
            return TenantSetting.MAX_TENANT_BANDWIDTH_IN;
        }
        if (directPublishes != null && !directPublishes.tryTake(now)) {
            return TenantSetting.MAX_PUBLISH_RATE;
        }
        SharedRate all = publishes;
        if (all != null && !all.tryTake(now)) {
            wasHeldAtPublishes = true;
            return TenantSetting.MAX_TENANT_PUBLISH_RATE;
        }
        if (all != null || isMetered) {
            published.increment();
        }
        if (directBytes != null) {
            directBytes.take(size, now);
        }
        takeBytes(size);
        return null;
    }

    /**
     * The nanoseconds until {@link #takeDirect} may admit a message, if others take nothing until then.
     *
     * @param exhausted what {@link #takeDirect} has returned
     */
    public synchronized long directWaitNanos(TenantSetting exhausted) {
        long now = nanoClock.getAsLong();
        SharedRate all = publishes;
        return switch (exhausted) {
            case MAX_BANDWIDTH_IN -> owed(directBytes, now);
            case MAX_TENANT_BANDWIDTH_IN -> owed(bytes, now);
            case MAX_PUBLISH_RATE -> directPublishes == null ? 0 : directPublishes.waitNanos(now);
            case MAX_TENANT_PUBLISH_RATE -> all == null ? 0 : all.waitNanos(now);
            default -> throw new IllegalArgumentException(exhausted + " is no rate of publishes");
        };
    }

    /** Counts a copy sent to a client, with its payload size. */
    public void delivered(int payloadBytes) {
        count(TenantCount.PUBLISHES_OUT, 1);
        SharedRate rate = copies;
        SharedRate ofBytes = copiedBytes;
        if (rate == null && ofBytes == null && !isMetered) {
            return;
        }
        delivered.increment();
        deliveredBytes.add(payloadBytes);
        if (rate != null && rate.take(1, nanoClock.getAsLong()) > 0) {
            wasHeldAtCopies = true;
        }
        if (ofBytes != null && ofBytes.take(payloadBytes, nanoClock.getAsLong()) > 0) {
            wasHeldAtCopiedBytes = true;
        }
    }

    /** The nanoseconds until the debt of deliveries is paid. */
    public long deliveriesOwedNanos() {
        long now = nanoClock.getAsLong();
        return Math.max(owed(copies, now), owed(copiedBytes, now));
    }

    private static long owed(@Nullable SharedRate rate, long now) {
        return rate == null ? 0 : rate.owedNanos(now);
    }

    /** Counts bytes sent to a client. */
    public void bytesWritten(int count) {
        count(TenantCount.BYTES_OUT, count);
    }

    /** Counts a message that a connected session does not get. */
    public void dropped() {
        count(TenantCount.DROPPED, 1);
    }

    /** Counts a connection that begins to be throttled. */
    public void throttled() {
        count(TenantCount.THROTTLED, 1);
    }

    // ---- reported usage

    /**
     * The present amount on this node; for a rate, the total since the account was made. Leaves out subscriptions of
     * stored sessions, which all nodes know.
     */
    public long used(TenantResource resource) {
        return switch (resource) {
            case CONNECTIONS -> connections.get();
            case CONNECT_RATE -> connected.sum();
            case SESSIONS -> sessions.get() + holdings.detachedSessions(tenant);
            case SUBSCRIPTIONS -> holdings.liveSubscriptions(tenant);
            case SHARED_SUBSCRIPTIONS -> holdings.liveSharedSubscriptions(tenant);
            case RETAINED_MESSAGES -> holdings.retainedMessages(tenant);
            case RETAINED_BYTES -> holdings.retainedBytes(tenant);
            case PUBLISH_RATE -> published.sum();
            case PUBLISH_BYTES -> read.sum();
            case DELIVER_RATE -> delivered.sum();
            case DELIVER_BYTES -> deliveredBytes.sum();
            case QUEUED_BYTES -> holdings.queuedBytes(tenant);
            case DELAYED_MESSAGES -> holdings.delayedMessages(tenant);
        };
    }

    /** The subscriptions that {@link #used} leaves out; 0 for other resources. */
    public long usedByAll(TenantResource resource) {
        return switch (resource) {
            case SUBSCRIPTIONS -> holdings.storedSubscriptions(tenant);
            case SHARED_SUBSCRIPTIONS -> holdings.storedSharedSubscriptions(tenant);
            default -> 0;
        };
    }

    /** Whether clients were throttled or refused by this rate since the last call. For one thread. */
    public boolean takeHeld(TenantResource rate) {
        boolean isHeld = false;
        long now = nanoClock.getAsLong();
        switch (rate) {
            case CONNECT_RATE -> {
                isHeld = wasHeldAtConnects;
                wasHeldAtConnects = false;
            }
            case PUBLISH_RATE -> {
                isHeld = wasHeldAtPublishes || owed(publishes, now) > 0;
                wasHeldAtPublishes = false;
            }
            case PUBLISH_BYTES -> {
                isHeld = wasHeldAtBytes || owed(bytes, now) > 0;
                wasHeldAtBytes = false;
            }
            case DELIVER_RATE -> {
                isHeld = wasHeldAtCopies || owed(copies, now) > 0;
                wasHeldAtCopies = false;
            }
            case DELIVER_BYTES -> {
                isHeld = wasHeldAtCopiedBytes || owed(copiedBytes, now) > 0;
                wasHeldAtCopiedBytes = false;
            }
            default -> {
                // no rate
            }
        }
        return isHeld;
    }
}
