package io.godwit.inbox.leader.delivery;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.GroupCopy;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.format.RunCodec;
import io.godwit.inbox.format.TokenRecord;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Connected;
import io.godwit.inbox.leader.queue.PlacedCopy;
import io.godwit.inbox.leader.queue.Queue;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.ledger.SeenTokens;
import io.godwit.inbox.ledger.SharedTopics;
import io.godwit.inbox.local.InsertCall;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way into the queues of one range: the payload once, and a copy per inbox. Owned by the range
 * leader.
 */
public final class Insert implements Batch.Operation, Pending.Waiter {
    /** Parts shared by the inserts of one leader. */
    public record Range(LeaderContext context, Writes writes, InboxReports reports, SharedTopics topics) {}

    private final Range range;
    private final @Nullable InsertCall call;
    private final Message message;
    /** Topic of the message; the shared string for queues. */
    private final String topic;

    private final @Nullable String tokenOrigin;
    private final long tokenNumber;
    private final List<PlacedCopy> copies = new ArrayList<>(1);
    /** Number of copies of QoS 1 and 2 in the sealed batch. */
    private int written;
    /** An earlier message of the publisher failed before the batch was sealed, so this one is not in it. */
    private boolean isHeldBack;

    /** @param call receives the outcome; null when nothing waits for it and no token is kept */
    public Insert(Range range, @Nullable InsertCall call, Message message) {
        this.range = range;
        this.call = call;
        this.message = message;
        this.topic = range.topics().shared(message.topic());
        InsertRequest request = call == null ? null : call.request();
        this.tokenOrigin = request == null ? null : request.tokenOrigin();
        this.tokenNumber = request == null ? 0 : request.tokenNumber();
    }

    public Message message() {
        return message;
    }

    /**
     * Places the copy in its queue, and adds it to the batch.
     *
     * @param isFirst whether this insert is not in the batch yet
     */
    public void addTo(Batch batch, boolean isFirst, PlacedCopy placed) {
        Queue queue = placed.state.queue;
        queue.setHasData();
        queue.ledger()
                .append(
                        placed.sequence,
                        placed.qos.value(),
                        isApart(placed.message),
                        topic,
                        placed.group != null,
                        placed.message.payload().length);
        copies.add(placed);
        batch.copyAdded(placed);
        if (isFirst) {
            batch.insert(this, this, message.heapBytes());
        }
    }

    /** Whether the sealed batch is without the message, because an earlier one of the publisher has failed. */
    public boolean isHeldBack() {
        return isHeldBack;
    }

    @Override
    public void encode(ByteWriter out) {
        isHeldBack = call != null && call.isHeldBack();
        if (isHeldBack) {
            leaveOut(); // before the messages behind it are encoded
            return;
        }
        int live = 0;
        for (int i = 0; i < copies.size(); i++) {
            live += copies.get(i).isLive() ? 1 : 0;
        }
        written = 0;
        if (live == 0) {
            return;
        }
        boolean apart = isApart(message);
        out.u8(MutationCodec.INSERT);
        out.u8((tokenOrigin != null ? MutationCodec.HAS_TOKEN : 0) | (apart ? MutationCodec.MESSAGE_APART : 0));
        out.message(message);
        if (tokenOrigin != null) {
            out.string(tokenOrigin);
            out.varint(tokenNumber);
            out.varint(range.context().nowMillis());
        }
        out.varint(live);
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            copy.isWritten = copy.isLive();
            if (copy.isWritten) {
                out.varint(copy.state.writes.tableIndex());
                out.varint(copy.sequence);
                GroupCopy group = copy.group;
                out.u8(RunCodec.flags(copy.qos, copy.retain, copy.subscriptionIds, group != null));
                RunCodec.writeIds(out, copy.subscriptionIds);
                if (group != null) {
                    out.string(group.filter());
                }
                range.writes().runWritten(copy);
                written += copy.qos == Qos.AT_MOST_ONCE ? 0 : 1;
            }
        }
    }

    @Override
    public void applied() {
        if (isHeldBack) {
            failed(InsertCall.heldBack());
            return;
        }
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.state.queue.ledger() == copy.ledger) {
                settle(copy);
                rememberToken(copy, true);
                Connected connection = copy.state.connection();
                if (connection != null) {
                    connection.sender().applied(copy);
                }
                copy.state.queue.setAppliedSequence(copy.sequence);
            }
            if (!copy.isAnswered) {
                answer(copy, InsertOutcome.STORED);
            }
        }
        if (written > 0) {
            tellStored();
        }
    }

    private void tellStored() {
        InboxReports reports = range.reports();
        reports.stored(written);
        if (!reports.tellsStored()) {
            return;
        }
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.isWritten && copy.qos != Qos.AT_MOST_ONCE) {
                reports.tellStored(copy.state.id, copy);
            }
        }
    }

    @Override
    public void failed(RangeException cause) {
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.state.queue.ledger() == copy.ledger) {
                settle(copy);
                rememberToken(copy, false);
                long ordinal = copy.ledger.find(copy.sequence);
                if (ordinal >= 0) {
                    // it was never in the store, so nothing is owed to its client
                    copy.ledger.finish(ordinal);
                }
                Connected connection = copy.state.connection();
                if (connection != null) {
                    range.writes().turn().pumpLater(connection.sender()); // sends what waits behind it
                }
            }
            if (copy.qos == Qos.AT_MOST_ONCE) {
                range.reports().dropped(copy.state.id, message.topic(), Qos0Drops.reasonOf(cause));
            }
        }
        InsertCall asked = call;
        if (asked != null && !areAnswered(asked, cause)) {
            asked.fail(cause);
        }
    }

    /**
     * Answers each copy by itself when the sender continues at the next leader. Copies of QoS 0 were answered before.
     */
    private boolean areAnswered(InsertCall asked, RangeException cause) {
        if (!asked.goesOn(cause)) {
            return false;
        }
        boolean areAnswered = false;
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.qos == Qos.AT_MOST_ONCE) {
                continue;
            }
            areAnswered = true;
            if (copy.isAnswered) {
                continue; // its client certainly has it
            }
            if (copy.wasSentEarly) {
                asked.lost(copy.target);
            } else {
                asked.ended(copy.target, cause);
            }
        }
        return areAnswered;
    }

    /** The client of an early copy has acknowledged it before the batch was sealed: cancels the copy. */
    void takeBack(PlacedCopy copy) {
        copies.remove(copy);
        settle(copy);
        range.reports().cancelled();
        answer(copy, InsertOutcome.STORED);
    }

    /**
     * The client of an early copy has acknowledged it while the log has the batch: answers the publisher at once. A
     * later copy, which could still be cancelled, is never answered before this one.
     */
    void acknowledged(PlacedCopy copy) {
        copy.isAnswered = true;
        answer(copy, InsertOutcome.STORED);
    }

    static boolean isApart(Message message) {
        // the payload size nearly always decides, without measuring the strings
        return message.payload().length >= RunCodec.APART_BYTES
                || MessageCodec.encodedSize(message) >= RunCodec.APART_BYTES;
    }

    private static void settle(PlacedCopy copy) {
        if (copy.qos != Qos.AT_MOST_ONCE) {
            copy.ledger.settled();
        }
    }

    private void leaveOut() {
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            SeenTokens tokens = copy.state.queue.knownTokens();
            if (tokenOrigin != null && tokens != null && copy.state.queue.ledger() == copy.ledger) {
                tokens.leaveOut(sourceOf(copy, tokenOrigin), tokenNumber);
            }
        }
    }

    private void rememberToken(PlacedCopy copy, boolean stored) {
        SeenTokens tokens = copy.state.queue.knownTokens();
        if (tokenOrigin == null || tokens == null || isHeldBack) { // then a repeat may have it by now
            return;
        }
        if (stored) {
            tokens.stored(sourceOf(copy, tokenOrigin), tokenNumber);
        } else {
            tokens.remove(sourceOf(copy, tokenOrigin), tokenNumber);
        }
    }

    private static String sourceOf(PlacedCopy copy, String origin) {
        GroupCopy group = copy.group;
        return TokenRecord.source(origin, group == null ? null : group.filter());
    }

    private void answer(PlacedCopy copy, InsertOutcome outcome) {
        if (call != null && copy.qos != Qos.AT_MOST_ONCE) {
            call.answer(copy.target, outcome);
        }
    }
}
