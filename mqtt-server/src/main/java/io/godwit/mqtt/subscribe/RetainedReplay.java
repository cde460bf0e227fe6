package io.godwit.mqtt.subscribe;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/** The retained messages one new subscription is to be sent. Confined to the loop of its session. */
public final class RetainedReplay {
    private static final int[] NO_IDS = {};

    private final TopicFilter filter;
    private final Qos qos;
    private final int[] subscriptionIds;
    /** See {@link #place}. */
    private @Nullable String place;

    /** See {@link #takenUpTo()}. */
    private long takenUpTo = -1;

    /** Where the next page to be sent begins; null for the first. */
    @Nullable
    String cursor;

    /** Rises from each replay of a queue to the next. */
    int number;

    boolean isCancelled;

    /** Itself and the others of its filter; null before it is begun. */
    @Nullable
    FilterReplays ofFilter;

    /** @param cursor where to begin; null for all, else a cursor of the retain store */
    public RetainedReplay(TopicFilter filter, Qos qos, int subscriptionId, @Nullable String cursor) {
        this.filter = filter;
        this.qos = qos;
        this.cursor = cursor;
        this.place = cursor;
        this.subscriptionIds = subscriptionId == 0 ? NO_IDS : new int[] {subscriptionId};
    }

    public TopicFilter filter() {
        return filter;
    }

    /** The granted QoS. */
    public Qos qos() {
        return qos;
    }

    /**
     * Behind which of its messages it stands, for a {@link ReplayQueue.Sink} that keeps count: a cursor of the retain
     * store, null at the beginning.
     */
    public @Nullable String place() {
        return place;
    }

    public void moveTo(String cursor) {
        place = cursor;
    }

    /** The highest number of its messages that is known to be where it belongs, and all before it; -1 for none. */
    public long takenUpTo() {
        return takenUpTo;
    }

    public void takenUpTo(long number) {
        takenUpTo = Math.max(takenUpTo, number);
    }

    /** Whether nothing of it may be sent until it is known whether a later one of its filter takes its place. */
    public boolean isHeld() {
        return ofFilter != null && ofFilter.isHeld();
    }

    /** The subscription is gone, or another replay has taken its place. */
    public boolean isCancelled() {
        return isCancelled;
    }

    /** Shared, never modified. */
    public int[] subscriptionIds() {
        return subscriptionIds;
    }
}
