package io.godwit.mqtt.subscribe;

import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/** The retained messages for one new subscription. Confined to the loop of its session. */
public final class RetainedReplay {
    private static final int[] NO_IDS = {};

    private final TopicFilter filter;
    private final Qos qos;
    private final int[] subscriptionIds;
    /** See {@link #place}. */
    private @Nullable String place;

    /** See {@link #takenUpTo()}. */
    private long takenUpTo = -1;

    /** Where the next page begins; null for the first. */
    @Nullable
    String cursor;

    /** Increases from each replay of a queue to the next. */
    int number;

    /** Messages that were sent since it began or was resumed. */
    long sent;

    boolean isCancelled;

    /** Shared by all replays of its filter; null before it is begun. */
    @Nullable
    ReplayDecisions decisions;

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
     * Its position after the last accepted message, for a {@link ReplayQueue.Sink} that records it: a cursor of the
     * retain store, null at the beginning.
     */
    public @Nullable String place() {
        return place;
    }

    public void moveTo(String cursor) {
        place = cursor;
    }

    /** The highest message number up to which all its messages are known to be stored; -1 for none. */
    public long takenUpTo() {
        return takenUpTo;
    }

    public void takenUpTo(long number) {
        takenUpTo = Math.max(takenUpTo, number);
    }

    /** Whether it must pause until it is known whether a later replay of its filter replaces it. */
    public boolean isHeld() {
        return decisions != null && decisions.isHeld();
    }

    /** The subscription is gone, or another replay has replaced it. */
    public boolean isCancelled() {
        return isCancelled;
    }

    /** Shared, never modified. */
    public int[] subscriptionIds() {
        return subscriptionIds;
    }
}
