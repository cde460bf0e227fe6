package io.godwit.inbox.leader;

import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.format.query.SessionQuery;
import io.godwit.inbox.format.query.SubscriptionQuery;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The state machine of a range of inboxes. It keeps nothing in memory and reads nothing when it applies: its
 * {@link InboxLeader} has decided everything, and a mutation ({@link MutationCodec}) lists the writes.
 */
public final class InboxCoprocessor implements RangeCoprocessor {
    private static final byte[] DONE = {};

    private final QueueSettings settings;
    private final Surroundings outside;

    public InboxCoprocessor(QueueSettings settings, Surroundings outside) {
        this.settings = settings;
        this.outside = outside;
    }

    @Override
    public void open(RangeBounds bounds, RangeReader reader) {}

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        List<byte[]> replies = new ArrayList<>(mutations.size());
        for (byte[] mutation : mutations) {
            MutationCodec.apply(writes, mutation);
            replies.add(DONE);
        }
        return replies;
    }

    /** Queries of operators: lists of sessions, and the subscriptions of one. The leader does its own reads. */
    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        if (SubscriptionQuery.isOne(query)) {
            return SubscriptionQuery.Answer.encode(
                    SubscriptionListing.answer(snapshot, SubscriptionQuery.decode(query)));
        }
        return SessionListing.answer(snapshot, SessionQuery.decode(query)).encode();
    }

    /** All keys of one inbox stay in one range. */
    @Override
    public byte[] splitPoint(byte[] key) {
        return InboxKeys.prefixOf(key);
    }

    @Override
    public RangeLeader lead(LeaderContext context) {
        return new InboxLeader(context, settings, outside);
    }
}
