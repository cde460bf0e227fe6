package io.godwit.mqtt.quota;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one tenant use on this node, and how much they may. Any thread: connections of a tenant are on
 * all event loops, and what they share is counted without locks. A tenant without limits, on a node where nobody asks,
 * costs a look at some fields for each message.
 */
public final class TenantAccount {
    /** For no limit. */
    public static final long ANY = Long.MAX_VALUE;

    private final TenantId tenant;
    private final Holdings holdings;
    private final LongSupplier nanoClock;
    private final boolean isMetered;

    /** By {@link TenantResource#ordinal}. Replaced as a whole when a limit changes. */
    private volatile long[] most;

    private volatile @Nullable SharedRate connects;
    private volatile @Nullable SharedRate publishes;
    private volatile @Nullable SharedRate bytes;
    private volatile @Nullable SharedRate copies;
    private volatile @Nullable SharedRate copiedBytes;

    /** Atomic: the next four are written on all loops. */
    private final AtomicLong connections = new AtomicLong();

    private final AtomicLong sessions = new AtomicLong();
    /** Subscriptions that are admitted and may not be in the matcher yet. */
    private final AtomicLong subscribing = new AtomicLong();

    private final AtomicLong subscribingShared = new AtomicLong();
    /** Retained messages that are admitted and may not be in the store yet. */
    private final AtomicLong retaining = new AtomicLong();

    private final AtomicLong retainingBytes = new AtomicLong();

    // totals since it was made
    private final LongAdder connected = new LongAdder();
    private final LongAdder published = new LongAdder();
    private final LongAdder read = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder deliveredBytes = new LongAdder();

    private volatile boolean wasHeldAtConnects;
    private volatile boolean wasHeldAtPublishes;
    private volatile boolean wasHeldAtBytes;
    private volatile boolean wasHeldAtCopies;
    private volatile boolean wasHeldAtCopiedBytes;
    private volatile long usedAtNanos;

    /** @param isMetered whether messages are counted though there is no limit */
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

    /** From now on so much; by {@link TenantResource#ordinal}. One call at a time. */
    void limit(long[] next) {
        most = next;
        connects = rate(connects, next[TenantResource.CONNECT_RATE.ordinal()]);
        publishes = rate(publishes, next[TenantResource.PUBLISH_RATE.ordinal()]);
        bytes = rate(bytes, next[TenantResource.PUBLISH_BYTES.ordinal()]);
        copies = rate(copies, next[TenantResource.DELIVER_RATE.ordinal()]);
        copiedBytes = rate(copiedBytes, next[TenantResource.DELIVER_BYTES.ordinal()]);
    }

    private @Nullable SharedRate rate(@Nullable SharedRate present, long perSecond) {
        if (perSecond == ANY) {
            return null;
        }
        return present == null ? new SharedRate(perSecond, nanoClock.getAsLong()) : present.at(perSecond);
    }

    /** The most of a resource on this node, {@link #ANY} for no limit. */
    public long most(TenantResource resource) {
        return most[resource.ordinal()];
    }

    // ---- connections and sessions

    /**
     * Counts a client that connects.
     *
     * @return what there is too much of; null when it is counted, and {@link #leave} is due
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

    /** Whether it has no client and has had none for a while. */
    boolean isIdle(long nowNanos, long forNanos) {
        return connections.get() == 0 && nowNanos - usedAtNanos > forNanos;
    }

    /** Adds, unless that were too many. */
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

    /** A client begins or resumes a session that outlives its connection; {@link #sessionLeft} is due. */
    public void sessionCame() {
        sessions.incrementAndGet();
    }

    public void sessionLeft() {
        sessions.decrementAndGet();
    }

    /** Whether there are more sessions than there may be, those of {@link #sessionCame} included. */
    public boolean hasTooManySessions() {
        long limit = most(TenantResource.SESSIONS);
        return limit != ANY && sessions.get() + holdings.detachedSessions(tenant) > limit;
    }

    // ---- subscriptions

    /**
     * Admits one more subscription.
     *
     * @param mostOfGroup members of a shared group
     * @return what there is too much of; null when it is admitted, and {@link #subscribed} is due
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
                // others that are on their way may be of another group: rather one too few for a moment
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

    /** Whether retained messages are limited: else {@link #retaining} need not be asked. */
    public boolean limitsRetained() {
        long[] limits = most;
        return limits[TenantResource.RETAINED_MESSAGES.ordinal()] != ANY
                || limits[TenantResource.RETAINED_BYTES.ordinal()] != ANY;
    }

    /**
     * Admits a message that is to be retained.
     *
     * @param payloadBytes not 0, which clears a message
     * @return what there is too much of; null when it is admitted, and {@link #retained} is due
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

    // ---- rates

    /** A client has sent so much. Returns for how many nanoseconds it is not to be read, 0 for none. */
    public long bytesRead(int count) {
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

    /** The nanoseconds until what was sent is paid for. */
    public long bytesOwedNanos() {
        return owed(bytes, nanoClock.getAsLong());
    }

    /** A client has sent a PUBLISH. Returns for how many nanoseconds it is not to be read, 0 for none. */
    public long publishRead() {
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

    /** The nanoseconds until what was published is paid for. */
    public long publishesOwedNanos() {
        return owed(publishes, nanoClock.getAsLong());
    }

    /** Whether what clients are sent is limited: else {@link #deliveriesOwedNanos} need not be asked. */
    public boolean limitsDeliveries() {
        return copies != null || copiedBytes != null;
    }

    /** A client was sent a copy with a payload of so many bytes. */
    public void delivered(int payloadBytes) {
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

    /** The nanoseconds until all that clients were sent is paid for. */
    public long deliveriesOwedNanos() {
        long now = nanoClock.getAsLong();
        return Math.max(owed(copies, now), owed(copiedBytes, now));
    }

    private static long owed(@Nullable SharedRate rate, long now) {
        return rate == null ? 0 : rate.owedNanos(now);
    }

    // ---- what is told

    /**
     * What is used on this node now, of a rate what was used since the account was made. Of subscriptions those of
     * stored sessions are left out, which all nodes know.
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
        };
    }

    /** Of subscriptions what {@link #used} leaves out, else 0. */
    public long usedByAll(TenantResource resource) {
        return switch (resource) {
            case SUBSCRIPTIONS -> holdings.storedSubscriptions(tenant);
            case SHARED_SUBSCRIPTIONS -> holdings.storedSharedSubscriptions(tenant);
            default -> 0;
        };
    }

    /** Whether clients were held back at a rate, or refused, since this was last asked. For one thread. */
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
