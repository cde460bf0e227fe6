package io.godwit.inbox.leader;

import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.ReplayRecord;
import io.godwit.inbox.ledger.Pending;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which retained messages the subscriptions of one session are still owed, and the topics of which it has been given
 * newer live ones meanwhile. There is none when nothing is owed. Owned by the range leader.
 *
 * <p>A replay moves on in the very batch that brings its message ({@link #moveOn}), so that a crash loses both or
 * neither; the batch tells its last place, however many messages it has. Nothing moves on in a later batch before that
 * one is done ({@link #mustWait}): should it fail, the replay stands where it stood before, and nothing behind the lost
 * message is in the store. What passes a message over, for it is outdated or goes out at QoS 0, is told with the next
 * batch that brings one, or lazily.
 *
 * <p>A live message whose topic a replay may still come to is noted in the batch that brings it, once
 * ({@link #noteLive}); the notes go when nothing is owed any more. A note tells the sequence of the last live message
 * that mattered, and each replay the sequence it began with, so what came before a subscription does not count for it.
 *
 * <p>{@link ReplayRecord} says how they are stored.
 */
final class OwedRetained {
    /** Of one subscription. */
    static final class Replay implements Inbox.Place {
        private final Inbox state;
        private final byte[] suffix;
        /** Live messages with a higher sequence came after the subscription. */
        private final long since;
        /** As of the batches under way. */
        private String place;
        /** What the last batch that told it has told; null when that failed. */
        private @Nullable String told;
        /** Where it stood before {@link #movedBy}. */
        private String before;

        private @Nullable Batch movedBy;
        /** All has been given; that is on its way into the store. */
        private boolean isEnding;
        /** From which batch on the store may know it. */
        private final long notBefore;
        /** From this batch on the store knows another replay in its place, or none. */
        private long overInBatch = Long.MAX_VALUE;

        private Replay(Inbox state, TopicFilter filter, long since, String place, long notBefore) {
            this.state = state;
            this.suffix = InboxKeys.suffix(InboxKeys.RETAINED, filter.text());
            this.since = since;
            this.notBefore = notBefore;
            this.place = place;
            this.told = place;
            this.before = place;
        }

        private byte[] encode() {
            return ReplayRecord.encode(since, place);
        }

        @Override
        public Inbox inbox() {
            return state;
        }

        @Override
        public int bytes() {
            return suffix.length + 32 + 2 * place.length();
        }

        /** The batch is being sealed: writes the place, unless a later step of the same batch has put an end to it. */
        @Override
        public void writeTo(ByteWriter out, Inbox.Sealing batch) {
            if (batch.id() < overInBatch) {
                told = place;
                Batch.writePut(out, state, suffix, encode());
            }
        }

        private void stands(Batch batch) {
            if (movedBy == batch) {
                movedBy = null;
            }
        }

        @Override
        public void lost(Inbox.Sealing batch) {
            told = null;
            if (movedBy == batch) {
                place = before;
                movedBy = null;
            }
        }
    }

    /** That a live message has come on a topic. */
    private static final class Note {
        /** Of the newest that mattered. */
        final long sequence;

        /** Until it is done the store may not know. */
        @Nullable
        Batch pending;

        boolean isLost;

        Note(long sequence, @Nullable Batch pending) {
            this.sequence = sequence;
            this.pending = pending;
        }
    }

    private final Writes writes;
    private final Inbox state;
    private final Runnable discard;
    private final Map<TopicFilter, Replay> replays = new LinkedHashMap<>(2);
    private final Map<String, Note> notes = new HashMap<>(0);
    /** The batch in which replays moved on last; null when it is done. */
    private @Nullable Batch underWay;
    /** The session has ended. */
    private boolean isOver;
    /** Nothing is owed any more, so the session has it no more. */
    private boolean isLeft;

    /** @param discard has the inbox loaded again: what stands in memory could not be written */
    OwedRetained(Writes writes, Inbox state, Runnable discard) {
        this.writes = writes;
        this.state = state;
        this.discard = discard;
    }

    // --- what is owed

    /** Where the retained messages begin that the subscription is owed; null when it is owed none. */
    @Nullable
    String from(TopicFilter filter) {
        Replay replay = replays.get(filter);
        return replay == null || replay.isEnding ? null : replay.place;
    }

    boolean isOwed(TopicFilter filter) {
        return from(filter) != null;
    }

    boolean isEmpty() {
        return replays.isEmpty();
    }

    /** Whether all was given while the session was there: then it is as if there were none. */
    boolean isLeft() {
        return isLeft;
    }

    /** The highest sequence that one of them speaks of. */
    long lastSequence() {
        long last = 0;
        for (Replay replay : replays.values()) {
            last = Math.max(last, replay.since);
        }
        for (Note note : notes.values()) {
            last = Math.max(last, note.sequence);
        }
        return last;
    }

    /** Topics it keeps in memory. */
    int size() {
        return notes.size();
    }

    /** The subscription, made now, is owed all; {@code since} is above the sequences of all messages queued so far. */
    void begin(TopicFilter filter, long since, Batch batch) {
        Replay replay = new Replay(state, filter, since, StoredSubscription.ALL_RETAINED, batch.id);
        Replay earlier = replays.put(filter, replay);
        if (earlier != null) {
            earlier.overInBatch = batch.id;
        }
        state.queue.setHasData();
        batch.put(state, replay.suffix, replay.encode());
    }

    /** The subscription is gone. */
    void cancel(TopicFilter filter, Batch batch) {
        Replay replay = replays.remove(filter);
        if (replay != null) {
            delete(replay, batch);
            leaveIfEmpty();
        }
    }

    /** All has been given. Until that is in the store live topics are noted: after a crash the replay goes on. */
    void end(TopicFilter filter, Batch batch) {
        Replay replay = replays.get(filter);
        if (replay == null) {
            return;
        }
        replay.isEnding = true;
        delete(replay, batch);
        batch.whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                if (replays.remove(filter, replay)) {
                    leaveIfEmpty();
                }
            }

            @Override
            public void failed(RangeException cause) {
                discard.run();
            }
        });
    }

    /** The session ends in this batch, and all keys with it. */
    void over(Batch batch) {
        isOver = true;
        replays.values().forEach(replay -> replay.overInBatch = Math.min(replay.overInBatch, batch.id));
    }

    private void delete(Replay replay, Batch batch) {
        replay.overInBatch = batch.id;
        batch.delete(state, replay.suffix);
    }

    private void leaveIfEmpty() {
        if (!isEmpty() || isOver || isLeft) {
            return;
        }
        if (!notes.isEmpty()) {
            Batch batch = writes.openBatch();
            batch.deleteRange(state, InboxKeys.suffix(InboxKeys.LIVE), InboxKeys.suffix(InboxKeys.LIVE + 1));
        }
        isLeft = true;
    }

    // --- moving on

    /** Whether the next message must wait: the batch with those before it takes no more, and is not done. */
    boolean mustWait() {
        return underWay != null && !writes.isOpen(underWay);
    }

    /** Whether the step begins where its replay stands. */
    boolean isAt(TopicFilter filter, String place) {
        return place.equals(from(filter));
    }

    /** The message of {@code step} is in {@code batch}, the open one. */
    void moveOn(ReplayStep step, Batch batch) {
        Replay replay = replayOf(step);
        if (underWay != batch) {
            underWay = batch;
            Connected by = state.connection();
            batch.whenDone(new Pending.Waiter() {
                @Override
                public void applied() {
                    replays.values().forEach(each -> each.stands(batch));
                    goOn(batch);
                }

                @Override
                public void failed(RangeException cause) {
                    lost(cause, by);
                    goOn(batch);
                }
            });
        }
        move(replay, step.to(), batch);
    }

    /** To be taken back should the batch fail. */
    private static void move(Replay replay, String to, Batch batch) {
        if (replay.movedBy != batch) {
            replay.movedBy = batch;
            replay.before = replay.place;
            batch.tell(replay);
        }
        batch.grow(2 * Math.max(0, to.length() - replay.place.length()));
        replay.place = to;
    }

    /**
     * The message of {@code step} needs no place in the store.
     *
     * @return the batch whose failure brings the replay back to before this step; null when it stands firm
     */
    @Nullable
    Batch passOver(ReplayStep step) {
        Replay replay = replayOf(step);
        if (underWay != null) {
            move(replay, step.to(), underWay);
        } else {
            replay.place = step.to();
            writes.markDirty(state);
        }
        return underWay;
    }

    private Replay replayOf(ReplayStep step) {
        Replay replay = replays.get(step.filter());
        if (replay == null) {
            throw new IllegalStateException(
                    "nothing is owed for " + step.filter().text());
        }
        return replay;
    }

    /**
     * The batch is being sealed: places that moved without it go along, unless they may be taken back.
     *
     * @return whether it had no room for all of them
     */
    boolean tellMoved(Inbox.Sealing batch) {
        if (underWay != null) {
            return false;
        }
        for (Replay replay : replays.values()) {
            if (!replay.place.equals(replay.told) && replay.notBefore <= batch.id()) {
                if (batch.hasNoRoom()) {
                    return true;
                }
                batch.tell(replay);
            }
        }
        return false;
    }

    /** Another connection has been told a place that is not true any more; or nobody knows what is true. */
    private void lost(RangeException cause, @Nullable Connected by) {
        boolean isKnown =
                cause.reason() != Cause.TIMEOUT && cause.reason() != Cause.LOST && cause.reason() != Cause.STORE_FAILED;
        Connected present = state.connection();
        if (!isKnown || present != null && present != by) {
            discard.run();
        }
    }

    private void goOn(Batch done) {
        if (underWay == done) {
            underWay = null;
        }
        Connected present = state.connection();
        if (present != null) {
            present.goOnReplaying();
        }
    }

    // --- what came live meanwhile

    /**
     * A live message of the topic has been given a place.
     *
     * @param joined the batch that brings it; null when none does
     */
    void noteLive(String topic, long sequence, @Nullable Batch joined) {
        long newest = -1;
        for (Map.Entry<TopicFilter, Replay> entry : replays.entrySet()) {
            if (entry.getValue().since > newest && entry.getKey().matches(topic)) {
                newest = entry.getValue().since;
            }
        }
        Note known = notes.get(topic);
        boolean isNoted = known != null
                && known.sequence > newest
                && (known.pending == null || known.pending == joined || writes.isOpen(known.pending));
        if (newest < 0 || isNoted) {
            return;
        }
        Batch batch = joined != null ? joined : writes.openBatch();
        Note note = new Note(sequence, batch);
        notes.put(topic, note);
        batch.put(state, InboxKeys.suffix(InboxKeys.LIVE, topic), ReplayRecord.encodeNote(sequence));
        batch.whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                note.pending = null;
            }

            @Override
            public void failed(RangeException cause) {
                note.isLost = true;
                if (known != null && !known.isLost) {
                    notes.replace(topic, note, known);
                } else {
                    notes.remove(topic, note);
                }
            }
        });
    }

    /** Whether a live message of the topic has been given a place since the subscription was made. */
    boolean hasSeenLive(TopicFilter filter, String topic) {
        Replay replay = replays.get(filter);
        Note note = notes.get(topic);
        return replay != null && note != null && note.sequence > replay.since;
    }

    // --- loading

    /**
     * Reads into {@code owed} what is owed to those of {@code subscriptions} that may be owed something; null when none
     * is.
     */
    static @Nullable OwedRetained load(RangeReader reader, OwedRetained owed, List<TopicFilter> subscriptions) {
        Inbox state = owed.state;
        for (TopicFilter filter : subscriptions) {
            byte[] suffix = InboxKeys.suffix(InboxKeys.RETAINED, filter.text());
            byte[] value = reader.get(InboxKeys.key(state.prefix, suffix));
            if (value != null) {
                ReplayRecord stored = ReplayRecord.decode(value);
                owed.replays.put(filter, new Replay(state, filter, stored.since(), stored.place(), 0));
            }
        }
        if (owed.isEmpty()) {
            return null;
        }
        state.queue.setHasData();
        byte[] from = InboxKeys.key(state.prefix, InboxKeys.LIVE);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(state.prefix, InboxKeys.LIVE + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                byte[] topic = Arrays.copyOfRange(key, from.length, key.length);
                long sequence = ReplayRecord.decodeNote(cursor.value());
                owed.notes.put(new String(topic, StandardCharsets.UTF_8), new Note(sequence, null));
            }
        }
        return owed;
    }
}
