package io.godwit.mqtt.transport;

import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.transport.Connection.Pause;
import io.godwit.plugin.event.ThrottleCause;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What holds one connection back: its rates, and the reasons for which it is not read. Confined to the channel's event
 * loop.
 *
 * <p>A rate is a {@link TokenBucket}; what one read, or write, has taken beyond it is paid for by a pause. Pauses are
 * told not one by one, but when they begin and when there have been none for a while.
 */
final class Throttling {
    /** At least so long a pause, so that a limit costs few wake-ups. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** After so long at most it is looked at again, so that no timer holds a connection that is over for long. */
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final List<Pause> PAUSES = List.of(Pause.values());
    private static final List<ThrottleCause> CAUSES = List.of(ThrottleCause.values());

    private final MqttConnection connection;
    private final Channel channel;
    private final MqttReports reports;
    private final ListenerLimits ofListener;
    private @Nullable TokenBucket bytesIn;
    private @Nullable TokenBucket bytesOut;
    private @Nullable TokenBucket publishes;

    /** What it shares with other clients of its tenant; null before CONNACK. */
    private @Nullable TenantAccount shared;

    /** By its own bandwidth. */
    private boolean isOutPaused;
    /** By what all clients of its tenant were sent. */
    private boolean isOutHeld;
    /** A bit per {@link Pause}. */
    private int pauses;
    /** A bit per {@link ThrottleCause}: told to have begun and not to have ended. */
    private int told;
    /** A bit per {@link ThrottleCause}: paused since the last tick. */
    private int pausedLately;
    /** Bytes the socket had not taken at the last tick, while {@link Pause#UNREAD_ANSWERS} holds. */
    private long unwrittenAtTick;

    /**
     * @param connection hears when it is read again, or may write again, and when {@link #onTick} has something to do
     */
    Throttling(MqttConnection connection, Channel channel, ListenerLimits limits, MqttReports reports) {
        this.connection = connection;
        this.channel = channel;
        this.reports = reports;
        this.ofListener = limits;
        bytesIn = bucket(limits.maxConnBandwidth());
        bytesOut = bucket(limits.maxConnBandwidth());
        publishes = bucket(limits.maxPublishRate());
    }

    /** Other rates from now on; those of the listener where nothing is said. What is owed by an old one is paid. */
    void limitRates(OptionalLong in, OptionalLong out, OptionalLong publishing) {
        bytesIn = changed(bytesIn, in.orElse(ofListener.maxConnBandwidth()));
        bytesOut = changed(bytesOut, out.orElse(ofListener.maxConnBandwidth()));
        publishes = changed(publishes, publishing.orElse(ofListener.maxPublishRate()));
    }

    /** What is read and written from now on counts for all clients of a tenant too. */
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

    /** Of the loop's clock, by which its timers run. */
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

    /** Reads on once all clients of the tenant owe nothing any more. */
    private void resumeShared(TenantAccount account, Pause reason) {
        long owedNanos = reason == Pause.TENANT_BANDWIDTH ? account.bytesOwedNanos() : account.publishesOwedNanos();
        if (owedNanos > 0 && connection.isOpen()) {
            later(() -> resumeShared(account, reason), owedNanos);
        } else {
            connection.resumeReading(reason);
        }
    }

    /** Reads on once what one read brought is paid for, all of which was handed on after the pause had begun. */
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
     * Whether no more should be written for now. When that is since all clients of the tenant were sent what they may
     * be together, this one is told when it may go on: else it would not know.
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

    /** Whether no more should be written for now, as it was when {@link #holdsOut} was last asked. */
    boolean isOutPaused() {
        return isOutPaused || isOutHeld;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the event loop logs what a task throws
    private void later(Runnable action, long nanos) {
        channel.eventLoop()
                .schedule(action, Math.min(Math.max(nanos, MIN_PAUSE_NANOS), MAX_PAUSE_NANOS), TimeUnit.NANOSECONDS);
    }

    // ---- answers that are not read

    /**
     * What is delivered stops at the mark of {@link Channel#isWritable}; what answers the client's own packets cannot,
     * and is bounded by reading less of them. At twice the mark, so that acknowledgements are still read from a client
     * that is merely slow.
     */
    private void holdIfUnread() {
        if (unwrittenBytes() > 2L * channel.config().getWriteBufferHighWaterMark()
                && connection.isOpen()
                && !isPaused(Pause.UNREAD_ANSWERS)) {
            unwrittenAtTick = Long.MAX_VALUE;
            connection.pauseReading(Pause.UNREAD_ANSWERS);
        }
    }

    /** What was handed to the channel and its socket has not taken. */
    long unwrittenBytes() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null ? 0 : pending.totalPendingWriteBytes();
    }

    /**
     * Once a second: whether a client's silence is ours, since we do not listen. Not when we wait for it to read, and
     * it reads nothing at all.
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
        pauses |= bit(reason); // makes nothing due earlier by itself: what is watched of a pause is of one that is told
        channel.config().setAutoRead(false);
        if (reason.cause() != null) {
            tell(reason.cause());
        }
    }

    /** @return whether it is read again: no other reason is left */
    boolean resumeReading(Pause reason) {
        pauses &= ~bit(reason);
        if (pauses != 0) {
            return false;
        }
        channel.config().setAutoRead(true);
        return true;
    }

    /** Reads whatever comes. */
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
     * Whether it must be looked at each second: while it is paused, and until all that was told has been told to have
     * ended.
     */
    boolean isWatched() {
        return pauses != 0 || told != 0;
    }

    // ---- what is told

    private void tell(ThrottleCause cause) {
        reports.metrics().paused(cause);
        pausedLately |= bit(cause);
        if ((told & bit(cause)) == 0) {
            told |= bit(cause);
            connection.lookSoon();
            reports.throttlingBegan(connection, connection.client(), cause);
        }
    }

    /** Once a second: tells which causes have ended. */
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
                reports.throttlingEnded(connection, connection.client(), cause);
            }
        }
    }
}
