package io.godwit.inbox.leader.end;

import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.QueueReader;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.format.Remains;
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
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Qos;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives the unfinished messages of shared groups that ended sessions left to other members (MQTT 5.0, 4.8.2), a page at
 * a time and in order. Owned by the range leader.
 *
 * <p>The messages stay in the store, listed in the record of the client id, until a record without them is committed;
 * the last record also deletes the queue. A crash in between gives the messages of a page again: at QoS 2 under their
 * original token, so a member that has one recognises it. A message without another member is dropped, counted and
 * reported.
 */
final class HandOver {
    private static final int PAGE_MESSAGES = 256;
    private static final int PAGE_BYTES = 256 * 1024;
    private static final long FIRST_RETRY_MILLIS = 500;
    /** Members of the group wait for the messages, so the pause is not much longer than the fault that causes it. */
    private static final long LAST_RETRY_MILLIS = 5_000;

    private final LeaderContext context;
    private final Writes writes;
    private final InboxStates states;
    private final SessionRecords records;
    private final InboxReports reports;
    private final Surroundings.GiveToGroup giveToGroup;
    private final Resend untilOver;
    private final Consumer<InboxState> whenRecorded;
    private final Backoff backoff;

    /**
     * @param untilOver abandoned when the leadership is over
     * @param whenRecorded called when a record without the given messages is stored
     */
    HandOver(
            LeaderContext context,
            Writes writes,
            InboxStates states,
            SessionRecords records,
            Surroundings outside,
            Resend untilOver,
            Consumer<InboxState> whenRecorded) {
        this.context = context;
        this.writes = writes;
        this.states = states;
        this.records = records;
        this.reports = outside.reports();
        this.giveToGroup = outside.giveToGroup();
        this.untilOver = untilOver;
        this.whenRecorded = whenRecorded;
        this.backoff = new Backoff(FIRST_RETRY_MILLIS, LAST_RETRY_MILLIS, outside.random());
    }

    /**
     * Continues with the first ended session that has messages left and no routes. One at a time for each client id.
     */
    void goOn(InboxState state) {
        EndedSession over = state.ended().stream()
                .filter(each -> each.remains() != null && each.filters().isEmpty())
                .findFirst()
                .orElse(null);
        Remains remains = over == null ? null : over.remains();
        if (over == null || remains == null || state.residency.isDiscarded() || state.isHandingOver()) {
            return;
        }
        state.setHandingOver(true);
        state.residency.workBegins();
        new Page(state, over, remains, 0, remains.mayBeRepeat() ? remains.end() : 0).read();
    }

    private final class Page {
        private final InboxState state;
        private final EndedSession over;
        private final Remains remains;
        /** Attempts in a row that could not give every message. */
        private final int failures;

        /** Messages below this sequence may have been given before. */
        private final long repeatedBelow;

        private final Set<Long> later = new HashSet<>();
        private long last;
        private int open = 1;

        Page(InboxState state, EndedSession over, Remains remains, int failures, long repeatedBelow) {
            this.state = state;
            this.over = over;
            this.remains = remains;
            this.failures = failures;
            this.repeatedBelow = repeatedBelow;
        }

        void read() {
            long first = remains.sequences()[0];
            states.read(
                    state,
                    reader -> QueueReader.page(reader, state.prefix, first, remains.end(), PAGE_MESSAGES, PAGE_BYTES),
                    this::give);
        }

        private void give(QueueReader.Page page) {
            List<QueuedCopy> copies = page.copies();
            // messages of a failed insert are missing
            last = page.isEnd() ? remains.end() : copies.get(copies.size() - 1).sequence;
            for (QueuedCopy copy : copies) {
                GroupCopy group = copy.group;
                if (group != null && remains.contains(copy.sequence)) {
                    give(copy, group);
                }
            }
            done();
        }

        private void give(QueuedCopy copy, GroupCopy group) {
            if (copy.message.isExpired(context.nowMillis())) {
                reports.dropped(state.id, copy.message.topic(), DropReason.EXPIRED);
                return;
            }
            open++;
            String origin = copy.message.qos() == Qos.EXACTLY_ONCE ? group.tokenOrigin() : null;
            GroupToken token =
                    origin == null ? null : new GroupToken(origin, group.tokenNumber(), copy.sequence < repeatedBelow);
            ClientInfo from = new ClientInfo(state.id.tenant(), state.id.clientId(), null, "", 5);
            giveToGroup
                    .give(from, FilterTable.parse(group.filter()), copy.message, token, untilOver)
                    .whenComplete((outcome, failure) ->
                            context.execute(() -> given(copy, failure == null ? outcome : GroupOutcome.LATER)));
        }

        private void given(QueuedCopy copy, GroupOutcome outcome) {
            switch (outcome) {
                case GIVEN -> {}
                case NOBODY -> reports.dropped(state.id, copy.message.topic(), DropReason.SESSION_ENDED);
                case LATER -> later.add(copy.sequence);
            }
            done();
        }

        private void done() {
            if (--open > 0 || state.residency.isDiscarded()) {
                return;
            }
            long[] left = Arrays.stream(remains.sequences())
                    .filter(sequence -> sequence > last || later.contains(sequence))
                    .toArray();
            writes.closeFullBatch();
            EndedSession now = forget(left);
            writes.openBatch().whenDone(new Pending.Waiter() {
                @Override
                public void applied() {
                    goOn(now);
                }

                @Override
                public void failed(RangeException cause) {
                    states.discard(state);
                }
            });
        }

        /**
         * Writes the record without the messages that are done; the last one also deletes the queue. Null when none are
         * left.
         */
        private @Nullable EndedSession forget(long[] left) {
            Remains rest = remains.only(left);
            EndedSession now = rest == null ? null : new EndedSession(over.incarnation(), List.of(), rest);
            int place = state.ended().indexOf(over);
            if (now != null) {
                state.ended().set(place, now);
            } else {
                state.ended().remove(place);
                writes.openBatch().deleteMessages(state, remains.first(), remains.end());
            }
            records.write(state);
            return now;
        }

        private void goOn(@Nullable EndedSession now) {
            Remains rest = now == null ? null : now.remains();
            if (now == null || rest == null) {
                state.setHandingOver(false);
                state.residency.workEnds();
            } else if (later.isEmpty()) {
                new Page(state, now, rest, 0, repeatedBelow).read();
            } else {
                long tried = Math.max(repeatedBelow, last + 1);
                context.schedule(
                        backoff.pause(failures + 1), () -> new Page(state, now, rest, failures + 1, tried).read());
            }
            whenRecorded.accept(state); // for those that waited for this record
        }
    }
}
