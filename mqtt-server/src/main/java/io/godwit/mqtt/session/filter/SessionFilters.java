package io.godwit.mqtt.session.filter;

import io.godwit.dist.client.FilterSize;
import io.godwit.mqtt.auth.InOrder;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.loop.FilterRoom;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a connected session: their number and their patterns, the bytes that they take of the node's budget,
 * and the SUBSCRIBEs and UNSUBSCRIBEs under way. Exists from the first filter or request on. Confined to the loop of
 * its session.
 *
 * <p>Reading pauses while too many requests, or too many filters of them, are unanswered. It is a {@link FilterCount}
 * and does not hold one, because it would be one more object per idle connection with a subscription.
 */
public final class SessionFilters extends FilterCount {
    /** Limit of unanswered SUBSCRIBEs and UNSUBSCRIBEs. */
    private static final int MAX_REQUESTS_UNANSWERED = 100;
    /** One SUBSCRIBE may have more; then no other packet is read until it is answered. */
    private static final int MAX_FILTERS_UNANSWERED = 1_000;

    private final SessionCore session;

    /** Bytes that the filters take of the node's budget. */
    private long heapBytes;

    /** Null until the first filter with a pattern. */
    private @Nullable FilterPatterns patterns;
    /**
     * Number of steps under way for each filter; negative once there was more than one at a time. Null when there are
     * none.
     */
    private @Nullable Map<TopicFilter, Integer> steps;

    /** The requests whose checks take time; null until the first of these. */
    private @Nullable InOrder checked;

    private int requestsUnanswered;
    /** Filters of unanswered requests, charged to the {@link FilterRoom}. */
    private int filtersUnanswered;

    public SessionFilters(SessionCore session) {
        this.session = session;
    }

    // ---- what the session has

    /** The session is about to have {@code filter}, or has it already. */
    public void noteAdded(TopicFilter filter) {
        if (!add(filter)) {
            return;
        }
        charge(FilterSize.heapBytes(filter));
        if (FilterPatterns.weightOf(filter) > 0) {
            if (patterns == null) {
                patterns = new FilterPatterns();
            }
            patterns.add(filter);
        }
    }

    /** The session is about to lose {@code filter}, or does not get it. */
    public void noteRemoved(TopicFilter filter) {
        if (size() == 0 || !remove(filter)) {
            return;
        }
        charge(-FilterSize.heapBytes(filter));
        if (patterns != null) {
            patterns.remove(filter);
        }
    }

    private void charge(long bytes) {
        if (!session.isEnded()) { // after the end everything has been given back
            heapBytes += bytes;
            session.services.filterBytes.add(bytes);
        }
    }

    /** About the heap that the filters take. */
    public long heapBytes() {
        return heapBytes;
    }

    /** Number of patterns including that of {@code filter}. */
    public int patternsWith(TopicFilter filter) {
        return patterns == null ? FilterPatterns.weightOf(filter) : patterns.sizeWith(filter);
    }

    // ---- steps of the stores

    /** Whether the stores may have {@code filter}. */
    public boolean mayExist(TopicFilter filter) {
        return contains(filter) || steps != null && steps.containsKey(filter);
    }

    /** A step that adds or removes {@code filter} begins; {@link #stepOver} ends it. */
    public void stepBegun(TopicFilter filter) {
        if (steps == null) {
            steps = new HashMap<>(2);
        }
        steps.merge(filter, 1, (before, one) -> -Math.abs(before) - 1);
    }

    /** @return whether no other step of this filter overlapped with it */
    public boolean stepOver(TopicFilter filter) {
        int before = steps == null ? 0 : steps.getOrDefault(filter, 0);
        if (steps != null && before < -1) {
            steps.put(filter, before + 1);
        } else if (steps != null) {
            steps.remove(filter);
            steps = steps.isEmpty() ? null : steps;
        }
        return before == 1;
    }

    // ---- requests

    /** A request with this weight of filters has arrived; {@link #answered} ends it. */
    public void asked(int filters) {
        boolean wasFull = isFullOfRequests();
        requestsUnanswered++;
        filtersUnanswered += filters;
        session.connection.loop().filterRoom().enter(filters);
        if (!wasFull && isFullOfRequests()) {
            session.connection.pauseReading(Connection.Pause.SUBSCRIBING);
        }
    }

    private boolean isFullOfRequests() {
        return requestsUnanswered >= MAX_REQUESTS_UNANSWERED || filtersUnanswered >= MAX_FILTERS_UNANSWERED;
    }

    public void answered(int filters) {
        boolean wasFull = isFullOfRequests();
        requestsUnanswered--;
        leaveRoom(filters);
        if (wasFull && !isFullOfRequests()) {
            session.connection.resumeReading(Connection.Pause.SUBSCRIBING);
        }
    }

    /** Releases the budget of a request; the end of the session has released unanswered ones already. */
    private void leaveRoom(int filters) {
        int leaving = Math.min(filters, filtersUnanswered);
        filtersUnanswered -= leaving;
        session.connection.loop().filterRoom().leave(leaving);
    }

    /** Runs {@code action} with the value of {@code checks}, after all earlier actions. */
    public <T> void inOrder(CompletableFuture<T> checks, Consumer<T> action) {
        if (checked == null && checks.isDone()) {
            action.accept(checks.join());
            return;
        }
        if (checked == null) {
            checked = new InOrder(session.connection);
        }
        checked.add(checks, action);
    }

    // ---- the end

    /** Gives the filters' bytes back to the node. Called once, just before the session counts as ended. */
    public void giveBackBytes() {
        charge(-heapBytes);
    }

    /** Gives back what unanswered requests take of the loop's room. */
    public void giveBackRoom() {
        leaveRoom(filtersUnanswered);
    }
}
