package io.godwit.inbox.leader.end;

import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.qos.FinishedTokens;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.SessionRecords;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.message.Message;

/**
 * Carries out what the records of sessions still owe, and retries until it succeeds: publishes wills, removes the
 * routes of ended sessions, then gives their messages of shared groups to other members ({@link HandOver}); then writes
 * a record without it. Owned by the range leader. A crash may repeat each step; tokens make repeated messages harmless,
 * and removing routes is idempotent.
 */
public final class Obligations {
    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 5_000;

    private final LeaderContext context;
    private final Writes writes;
    private final InboxStates states;
    private final SessionRecords records;
    private final FinishedTokens finished;
    private final InboxReports reports;
    private final Surroundings.Publish publish;
    private final Surroundings.RemoveRoutes removeRoutes;
    private final Resend untilOver;
    private final HandOver handOver;
    private final Backoff backoff;

    /** @param untilOver abandoned when the leadership is over */
    public Obligations(
            LeaderContext context,
            Writes writes,
            InboxStates states,
            SessionRecords records,
            FinishedTokens finished,
            Surroundings outside,
            Resend untilOver) {
        this.context = context;
        this.writes = writes;
        this.states = states;
        this.records = records;
        this.finished = finished;
        this.reports = outside.reports();
        this.publish = outside.publish();
        this.removeRoutes = outside.removeRoutes();
        this.untilOver = untilOver;
        this.handOver = new HandOver(context, writes, states, records, outside, untilOver, this::goOn);
        this.backoff = new Backoff(FIRST_RETRY_MILLIS, LAST_RETRY_MILLIS, outside.random());
    }

    /** Begins what the record in the present batch owes, if anything, once it is written. */
    public void settleOnceWritten(InboxState state) {
        if (!state.owed().isEmpty() || !state.ended().isEmpty()) {
            writes.openBatch().whenDone(begin(state));
        }
    }

    /** Begins once its batch is applied: a will must not be published for a change that was never written. */
    private Pending.Waiter begin(InboxState state) {
        return new Pending.Waiter() {
            @Override
            public void applied() {
                goOn(state);
            }

            @Override
            public void failed(RangeException cause) {
                states.discard(state);
            }
        };
    }

    /** Begins whatever is not running, unless a record write is pending; that write calls this again. */
    private void goOn(InboxState state) {
        if (state.writes.recordUnderWay() != null) {
            return;
        }
        publishWills(state, 0);
        removeRoutes(state, 0);
        handOver.goOn(state);
    }

    private void publishWills(InboxState state, int failures) {
        if (state.residency.isDiscarded()
                || state.isPublishingWills()
                || state.owed().isEmpty()) {
            return;
        }
        state.setPublishingWills(true);
        state.residency.workBegins();
        StoredWill will = state.owed().get(0);
        Message told = will.message();
        // the will's expiry interval counts from now [MQTT5-3.1.3-10]
        Message message = new Message(
                told.topic(), told.payload(), told.qos(), told.retain(), context.nowMillis(), told.properties());
        publish.publish(
                        will.publisher(),
                        message,
                        InboxState.willOrigin(state.id, will.incarnation()),
                        will.number(),
                        will.number(),
                        told.receivedAtMillis(),
                        null,
                        untilOver)
                .whenComplete((done, failure) ->
                        context.execute(() -> willPublished(state, will, Boolean.TRUE.equals(done), failures)));
    }

    private void willPublished(InboxState state, StoredWill will, boolean done, int failures) {
        if (!done) {
            context.schedule(backoff.pause(failures + 1), () -> {
                state.residency.workEnds();
                state.setPublishingWills(false);
                publishWills(state, failures + 1);
            });
            return;
        }
        writes.closeFullBatch();
        state.setPublishingWills(false);
        state.residency.workEnds();
        if (!state.residency.isDiscarded()) {
            state.owed().remove(will);
            reports.willPublished(state.id, will.message().topic());
            records.write(state);
            finished.tell(state, will.message(), InboxState.willOrigin(state.id, will.incarnation()), will.number());
            writes.openBatch().whenDone(begin(state));
        }
    }

    private void removeRoutes(InboxState state, int failures) {
        EndedSession over = state.ended().stream()
                .filter(each -> !each.filters().isEmpty())
                .findFirst()
                .orElse(null);
        if (state.residency.isDiscarded() || state.isRemovingRoutes() || over == null) {
            return;
        }
        state.setRemovingRoutes(true);
        state.residency.workBegins();
        removeRoutes
                .remove(state.id.tenant(), state.id.clientId(), over.incarnation(), over.filters())
                .whenComplete((done, failure) ->
                        context.execute(() -> routesRemoved(state, over, Boolean.TRUE.equals(done), failures)));
    }

    private void routesRemoved(InboxState state, EndedSession over, boolean done, int failures) {
        if (!done) {
            context.schedule(backoff.pause(failures + 1), () -> {
                state.residency.workEnds();
                state.setRemovingRoutes(false);
                removeRoutes(state, failures + 1);
            });
            return;
        }
        writes.closeFullBatch();
        state.setRemovingRoutes(false);
        state.residency.workEnds();
        if (!state.residency.isDiscarded()) {
            EndedSession rest = over.routesRemoved();
            int place = state.ended().indexOf(over);
            if (rest == null) {
                state.ended().remove(place);
            } else {
                state.ended().set(place, rest);
            }
            records.write(state);
            writes.openBatch().whenDone(begin(state));
        }
    }
}
