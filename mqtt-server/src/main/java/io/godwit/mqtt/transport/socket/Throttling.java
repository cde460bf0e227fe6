package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.Connection.Pause;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.ThrottleCause;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Throttles one connection: its rates, and the reasons why it is not read. Confined to the channel's event loop.
 *
 * <p>A rate is a {@link TokenBucket}; an excess of one read or write is paid for by a pause. Reports are not made for
 * each pause, but when pauses begin and when there have been none for a while.
 */
final class Throttling {
    /** The shortest pause, so that a limit costs few wake-ups. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The longest wait before a check, so that no timer keeps a closed connection for long. */
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final List<Pause> PAUSES = List.of(Pause.values());
    private static final List<ThrottleCause> CAUSES = List.of(ThrottleCause.values());

    /** The connection that is throttled. */
    interface Owner extends Connection {
        /** The client, once CONNECT has been accepted; else null. */
        @Nullable
        ClientInfo client();

        /** The connection may have become writable again. */
        void notifyWritable();

        /** Something to watch has begun: {@link Throttling#onTick} may be needed earlier than expected. */
        void lookSoon();
    }

    private final Owner connection;
    private final Channel channel;
    private final ListenerScope scope;
    private @Nullable TokenBucket bytesIn;
    private @Nullable TokenBucket bytesOut;
    private @Nullable TokenBucket publishes;

    /** The account shared with other clients of its tenant; null before CONNACK. */
    private @Nullable TenantAccount shared;

    /** Paused by the client's own bandwidth. */
    private boolean isOutPaused;
    /** Paused by the deliver rate or bandwidth of the tenant. */
    private boolean isOutHeld;
    /** A bit per {@link Pause}. */
    private int pauses;
    /** A bit per {@link ThrottleCause}: its beginning was reported, its end was not. */
    private int told;
    /** A bit per {@link ThrottleCause}: paused since the last tick. */
    private int pausedLately;
    /** Bytes that the socket had not taken at the last tick, while {@link Pause#UNREAD_ANSWERS} holds. */
    private long unwrittenAtTick;

    /** @param connection is told when it may read or write again, and when {@link #onTick} is needed */
    Throttling(Owner connection, Channel channel, ListenerScope scope) {
        this.connection = connection;
        this.channel = channel;
        this.scope = scope;
        ListenerLimits limits = scope.config().limits();
        bytesIn = bucket(limits.maxConnBandwidth());
        bytesOut = bucket(limits.maxConnBandwidth());
        publishes = bucket(limits.maxPublishRate());
    }

    /** Sets other rates; those of the listener where empty. A debt of an old rate is still paid. */
    void limitRates(OptionalLong in, OptionalLong out, OptionalLong publishing) {
        ListenerLimits ofListener = scope.config().limits();
        bytesIn = changed(bytesIn, in.orElse(ofListener.maxConnBandwidth()));
        bytesOut = changed(bytesOut, out.orElse(ofListener.maxConnBandwidth()));
        publishes = changed(publishes, publishing.orElse(ofListener.maxPublishRate()));
    }

    /** From now on also counts reads and writes for the tenant. */
    void shareRates(TenantAccount account) {
        shared = account;
    }

    private @Nullable TokenBucket changed(@Nullable TokenBucket present, long perSecond) {
        boolean isSame = present == null ? perSecond == 0 : present.perSecond() == perSecond;
        return isSame ? present : bucket(perSecond);
    }

    private @Nullable TokenBucket bucket(long perSecond) {
        return perSecond == 0 ? null : new TokenBucket(perSecond, nanoTime());
    }

    /** The loop's clock, which also drives its timers. */
    private long nanoTime() {
        return channel.eventLoop().ticker().nanoTime();
    }

    private static int bit(Enum<?> constant) {
        return 1 << constant.ordinal();
    }

    // ---- rates

    void onBytesRead(int bytes) {
        if (bytesIn != null) {
            take(bytesIn, bytes, Pause.BANDWIDTH);
        }
        TenantAccount account = shared;
        if (account != null) {
            hold(account, account.bytesRead(bytes), Pause.TENANT_BANDWIDTH);
        }
    }

    void onPublishRead() {
        if (publishes != null) {
            take(publishes, 1, Pause.PUBLISH_RATE);
        }
        TenantAccount account = shared;
        if (account != null) {
            hold(account, account.publishRead(), Pause.TENANT_PUBLISH_RATE);
        }
    }

    private void take(TokenBucket bucket, int count, Pause reason) {
        long owedNanos = bucket.take(count, nanoTime());
        if (owedNanos > 0 && !isPaused(reason)) {
            connection.pauseReading(reason);
            later(() -> resumePaid(bucket, reason), owedNanos);
        }
    }

    private void hold(TenantAccount account, long owedNanos, Pause reason) {
        if (owedNanos > 0 && !isPaused(reason)) {
            connection.pauseReading(reason);
            later(() -> resumeShared(account, reason), owedNanos);
        }
    }

    /** Resumes reading once the tenant's debt is paid. */
    private void resumeShared(TenantAccount account, Pause reason) {
        long owedNanos = reason == Pause.TENANT_BANDWIDTH ? account.bytesOwedNanos() : account.publishesOwedNanos();
        if (owedNanos > 0 && connection.isOpen()) {
            later(() -> resumeShared(account, reason), owedNanos);
        } else {
            connection.resumeReading(reason);
        }
    }

    /** Resumes reading once the excess of one read is paid; all its packets were passed on after the pause began. */
    private void resumePaid(TokenBucket bucket, Pause reason) {
        long owedNanos = bucket.owedNanos(nanoTime());
        if (owedNanos > 0 && connection.isOpen()) {
            later(() -> resumePaid(bucket, reason), owedNanos);
        } else {
            connection.resumeReading(reason);
        }
    }

    void onBytesWritten(int bytes) {
        holdIfUnread();
        TenantAccount account = shared;
        if (account != null) {
            account.bytesWritten(bytes);
        }
        if (bytesOut == null) {
            return;
        }
        TokenBucket bucket = bytesOut;
        long owedNanos = bucket.take(bytes, nanoTime());
        if (owedNanos > 0 && !isOutPaused) {
            isOutPaused = true;
            tell(ThrottleCause.BANDWIDTH_OUT);
            later(() -> writePaid(bucket), owedNanos);
        }
    }

    private void writePaid(TokenBucket bucket) {
        long owedNanos = bucket.owedNanos(nanoTime());
        if (owedNanos > 0 && connection.isOpen()) {
            later(() -> writePaid(bucket), owedNanos);
        } else {
            isOutPaused = false;
            connection.notifyWritable();
        }
    }

    /**
     * Whether output should pause now. If the tenant's limit is the reason, this schedules the end of the pause, since
     * nothing else would end it.
     */
    boolean holdsOut() {
        TenantAccount account = shared;
        if (isOutPaused() || account == null || !account.limitsDeliveries()) {
            return isOutPaused();
        }
        long owedNanos = account.deliveriesOwedNanos();
        if (owedNanos > 0 && connection.isOpen()) {
            isOutHeld = true;
            tell(ThrottleCause.TENANT_DELIVERY);
            later(() -> deliveriesPaid(account), owedNanos);
        }
        return isOutHeld;
    }

    private void deliveriesPaid(TenantAccount account) {
        long owedNanos = account.deliveriesOwedNanos();
        if (owedNanos > 0 && connection.isOpen()) {
            later(() -> deliveriesPaid(account), owedNanos);
        } else {
            isOutHeld = false;
            connection.notifyWritable();
        }
    }

    /** Whether output is paused, as of the last call of {@link #holdsOut}. */
    boolean isOutPaused() {
        return isOutPaused || isOutHeld;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the event loop logs exceptions of tasks
    private void later(Runnable action, long nanos) {
        channel.eventLoop()
                .schedule(action, Math.min(Math.max(nanos, MIN_PAUSE_NANOS), MAX_PAUSE_NANOS), TimeUnit.NANOSECONDS);
    }

    // ---- answers that are not read

    /**
     * Deliveries stop at the high-water mark of {@link Channel#isWritable}. Answers to the client's own packets cannot,
     * so reading stops instead. It stops at twice the mark, so that acknowledgements of a merely slow client are still
     * read.
     */
    private void holdIfUnread() {
        if (unwrittenBytes() > 2L * channel.config().getWriteBufferHighWaterMark()
                && connection.isOpen()
                && !isPaused(Pause.UNREAD_ANSWERS)) {
            unwrittenAtTick = Long.MAX_VALUE;
            connection.pauseReading(Pause.UNREAD_ANSWERS);
        }
    }

    /** Bytes given to the channel that its socket has not taken. */
    long unwrittenBytes() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null ? 0 : pending.totalPendingWriteBytes();
    }

    /**
     * Called once a second: whether the client is silent because the broker does not read. False when the broker waits
     * for the client to read answers and the client reads nothing.
     */
    boolean isHeldByUs() {
        if (pauses != bit(Pause.UNREAD_ANSWERS)) {
            return pauses != 0;
        }
        long unwritten = unwrittenBytes();
        boolean isRead = unwritten < unwrittenAtTick;
        unwrittenAtTick = unwritten;
        return isRead;
    }

    // ---- reading

    void pauseReading(Pause reason) {
        pauses |= bit(reason); // makes nothing due earlier by itself; tell() does
        channel.config().setAutoRead(false);
        if (reason.cause() != null) {
            tell(reason.cause());
        }
    }

    /** @return whether reading resumes: no other reason is left */
    boolean resumeReading(Pause reason) {
        pauses &= ~bit(reason);
        if (pauses != 0) {
            return false;
        }
        channel.config().setAutoRead(true);
        return true;
    }

    /** Resumes reading, whatever the reasons for pauses. */
    void resumeReading() {
        pauses = 0;
        channel.config().setAutoRead(true);
    }

    boolean isPaused(Pause reason) {
        return (pauses & bit(reason)) != 0;
    }

    boolean isReading() {
        return pauses == 0;
    }

    /**
     * Whether it needs a check each second: while it is paused, and until every reported beginning has a reported end.
     */
    boolean isWatched() {
        return pauses != 0 || told != 0;
    }

    // ---- reports

    private void tell(ThrottleCause cause) {
        scope.reports().metrics().traffic().paused(cause);
        pausedLately |= bit(cause);
        if ((told & bit(cause)) == 0) {
            told |= bit(cause);
            connection.lookSoon();
            if (shared != null) {
                shared.throttled();
            }
            scope.reports().throttlingBegan(connection, connection.client(), cause);
        }
    }

    /** Called once a second: reports which causes have ended. */
    void onTick() {
        if (told != 0) {
            int going = going();
            pausedLately = 0;
            tellEnded(going);
        }
    }

    /** The connection is over: there will be no more pauses. */
    void end() {
        tellEnded(0);
    }

    private int going() {
        int going = pausedLately;
        for (Pause pause : PAUSES) {
            if (pause.cause() != null && isPaused(pause)) {
                going |= bit(pause.cause());
            }
        }
        going |= isOutHeld ? bit(ThrottleCause.TENANT_DELIVERY) : 0;
        return isOutPaused ? going | bit(ThrottleCause.BANDWIDTH_OUT) : going;
    }

    private void tellEnded(int going) {
        for (ThrottleCause cause : CAUSES) {
            if ((told & ~going & bit(cause)) != 0) {
                told &= ~bit(cause);
                scope.reports().throttlingEnded(connection, connection.client(), cause);
            }
        }
    }
}
