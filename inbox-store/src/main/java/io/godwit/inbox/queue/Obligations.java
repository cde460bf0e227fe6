package io.godwit.inbox.queue;

import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;

/**
 * Does what the records of sessions say is still to be done, again and again until it is: publishes owed wills, removes
 * the routes of ended sessions, then gives what those have left of shared groups to others ({@link HandOver}); then the
 * record forgets it. Owned by the range leader. All may be done twice around a crash; tokens make the second time none,
 * and removing routes is repeatable.
 */
final class Obligations {
    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 5_000;

    private final InboxLeader leader;
    private final HandOver handOver;
    private final Backoff backoff;

    Obligations(InboxLeader leader) {
        this.leader = leader;
        this.handOver = new HandOver(leader, this);
        this.backoff = new Backoff(
                FIRST_RETRY_MILLIS, LAST_RETRY_MILLIS, leader.outside().random());
    }

    /**
     * Begins once the batch that it joins is applied: a will must not be published for a change that never came to be.
     */
    Batch.Waiter begin(InboxState state) {
        return new Batch.Waiter() {
            @Override
            public void applied() {
                goOn(state);
            }

            @Override
            public void failed(RangeException cause) {
                leader.states().discard(state);
            }
        };
    }

    /** Begins what is not under way, unless a record is on its way into the store: with that it is called again. */
    void goOn(InboxState state) {
        Batch record = state.recordIn;
        if (record != null && !record.isDone()) {
            return;
        }
        state.recordIn = null;
        publishWills(state, 0);
        removeRoutes(state, 0);
        handOver.goOn(state);
    }

    private void publishWills(InboxState state, int failures) {
        if (state.discarded || state.publishingWills || state.owed.isEmpty()) {
            return;
        }
        state.publishingWills = true;
        state.activities++;
        StoredWill will = state.owed.get(0);
        Message told = will.message();
        // its expiry interval counts from now [MQTT5-3.1.3-10]
        Message message = new Message(
                told.topic(), told.payload(), told.qos(), told.retain(), leader.nowMillis(), told.properties());
        leader.outside()
                .publish()
                .publish(
                        will.publisher(),
                        message,
                        InboxState.willOrigin(state.id, will.incarnation()),
                        will.number(),
                        will.number(),
                        told.receivedAtMillis(),
                        null,
                        leader.untilOver())
                .whenComplete((done, failure) -> leader.context()
                        .execute(() -> willPublished(state, will, Boolean.TRUE.equals(done), failures)));
    }

    private void willPublished(InboxState state, StoredWill will, boolean done, int failures) {
        if (!done) {
            leader.context().schedule(backoff.pause(failures + 1), () -> {
                state.activities--;
                state.publishingWills = false;
                publishWills(state, failures + 1);
            });
            return;
        }
        leader.closeFullBatch();
        state.publishingWills = false;
        state.activities--;
        if (!state.discarded) {
            state.owed.remove(will);
            leader.reports().willPublished(state.id, will.message().topic());
            leader.lifecycle().writeRecord(state);
            leader.tellFinished(
                    state, will.message(), InboxState.willOrigin(state.id, will.incarnation()), will.number());
            leader.openBatch().whenDone(begin(state));
        }
    }

    private void removeRoutes(InboxState state, int failures) {
        EndedSession over = state.ended.stream()
                .filter(each -> !each.filters().isEmpty())
                .findFirst()
                .orElse(null);
        if (state.discarded || state.removingRoutes || over == null) {
            return;
        }
        state.removingRoutes = true;
        state.activities++;
        leader.outside()
                .removeRoutes()
                .remove(state.id.tenant(), state.id.clientId(), over.incarnation(), over.filters())
                .whenComplete((done, failure) -> leader.context()
                        .execute(() -> routesRemoved(state, over, Boolean.TRUE.equals(done), failures)));
    }

    private void routesRemoved(InboxState state, EndedSession over, boolean done, int failures) {
        if (!done) {
            leader.context().schedule(backoff.pause(failures + 1), () -> {
                state.activities--;
                state.removingRoutes = false;
                removeRoutes(state, failures + 1);
            });
            return;
        }
        leader.closeFullBatch();
        state.removingRoutes = false;
        state.activities--;
        if (!state.discarded) {
            EndedSession rest = over.routesRemoved();
            int place = state.ended.indexOf(over);
            if (rest == null) {
                state.ended.remove(place);
            } else {
                state.ended.set(place, rest);
            }
            leader.lifecycle().writeRecord(state);
            leader.openBatch().whenDone(begin(state));
        }
    }
}
