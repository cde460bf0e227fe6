package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way into the queues of one range that take it: the payload once, and a copy per inbox. Owned by
 * the range leader.
 */
final class Insert implements Batch.Operation, Batch.Waiter {
    private final InboxLeader leader;
    private final @Nullable InsertCall call;
    private final Message message;
    private final String topic;
    private final @Nullable String tokenOrigin;
    private final long tokenNumber;
    private final List<PlacedCopy> copies = new ArrayList<>(1);
    /** Copies of QoS 1 and 2 that the sealed batch has in it. */
    private int written;
    /** An earlier message of the publisher failed before the batch was sealed, so this one is not in it. */
    private boolean isHeldBack;

    /** @param call who is told of the outcome; null when nobody waits and no token is kept */
    Insert(InboxLeader leader, @Nullable InsertCall call, Message message) {
        this.leader = leader;
        this.call = call;
        this.message = message;
        this.topic = leader.topics().shared(message.topic());
        InsertRequest request = call == null ? null : call.request();
        this.tokenOrigin = request == null ? null : request.tokenOrigin();
        this.tokenNumber = request == null ? 0 : request.tokenNumber();
    }

    Message message() {
        return message;
    }

    /** Of the message; the string that queues may keep. */
    String topic() {
        return topic;
    }

    void add(PlacedCopy copy) {
        copies.add(copy);
    }

    @Override
    public void encode(ByteWriter out) {
        isHeldBack = call != null && call.isHeldBack();
        if (isHeldBack) {
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
            out.varint(leader.nowMillis());
        }
        out.varint(live);
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.isLive()) {
                out.varint(copy.state.tableIndex);
                out.varint(copy.sequence);
                GroupCopy group = copy.group;
                out.u8(RunCodec.flags(copy.qos, copy.retain, copy.subscriptionIds, group != null));
                RunCodec.writeIds(out, copy.subscriptionIds);
                if (group != null) {
                    out.string(group.filter());
                }
                leader.runWritten(copy);
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
            if (copy.state.ledger == copy.ledger) {
                settle(copy);
                rememberToken(copy, true);
                Attachment attachment = copy.state.attachment;
                if (attachment != null) {
                    attachment.outbox.applied(copy);
                }
                copy.state.appliedSequence = copy.sequence;
            }
            answer(copy, InsertOutcome.STORED);
        }
        if (written > 0) {
            leader.reports().stored(written);
        }
    }

    @Override
    public void failed(RangeException cause) {
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            if (copy.state.ledger == copy.ledger) {
                settle(copy);
                rememberToken(copy, false);
                long ordinal = copy.ledger.find(copy.sequence);
                if (ordinal >= 0) {
                    // it never was in the store, so nothing is owed to its client
                    copy.ledger.finish(ordinal);
                }
                Attachment attachment = copy.state.attachment;
                if (attachment != null) {
                    leader.pumpLater(attachment.outbox); // what waits behind it
                }
            }
            if (copy.qos == Qos.AT_MOST_ONCE) {
                leader.reports().dropped(copy.state.id, message.topic(), DropReason.STORE_FAILED);
            }
        }
        InsertCall asked = call;
        if (asked == null) {
            return;
        }
        if (asked.isRefusedBy(cause) && wasSentEarly()) {
            // to send it again by itself might bring it behind later ones that its receiver has acknowledged since
            asked.fail(new RangeException(RangeException.Cause.TIMEOUT, "a receiver may have it already"));
        } else if (!areMoved(asked, cause)) {
            asked.fail(cause);
        }
    }

    private boolean wasSentEarly() {
        for (int i = 0; i < copies.size(); i++) {
            if (copies.get(i).wasSentEarly) {
                return true;
            }
        }
        return false;
    }

    /** Those that were answered already are of QoS 0. */
    private boolean areMoved(InsertCall asked, RangeException cause) {
        boolean areMoved = false;
        for (int i = 0; i < copies.size(); i++) {
            PlacedCopy copy = copies.get(i);
            areMoved |= copy.qos != Qos.AT_MOST_ONCE && asked.isMoved(copy.target, cause);
        }
        return areMoved;
    }

    /** The client of an early copy is done with it before the store has seen it. */
    void takeBack(PlacedCopy copy) {
        copies.remove(copy);
        settle(copy);
        leader.reports().cancelled();
        answer(copy, InsertOutcome.STORED);
    }

    static boolean isApart(Message message) {
        // the payload nearly always decides, without a walk over the strings
        return message.payload().length >= RunCodec.APART_BYTES
                || MessageCodec.encodedSize(message) >= RunCodec.APART_BYTES;
    }

    private static void settle(PlacedCopy copy) {
        if (copy.qos != Qos.AT_MOST_ONCE) {
            copy.ledger.settled();
        }
    }

    private void rememberToken(PlacedCopy copy, boolean stored) {
        TokenMemory tokens = copy.state.tokens;
        if (tokenOrigin != null && tokens != null) {
            String source = TokenMemory.source(tokenOrigin, copy.group == null ? null : copy.group.filter());
            if (stored) {
                tokens.stored(source, tokenNumber);
            } else {
                tokens.remove(source, tokenNumber);
            }
        }
    }

    private void answer(PlacedCopy copy, InsertOutcome outcome) {
        if (call != null && copy.qos != Qos.AT_MOST_ONCE) {
            call.answer(copy.target, outcome);
        }
    }
}
