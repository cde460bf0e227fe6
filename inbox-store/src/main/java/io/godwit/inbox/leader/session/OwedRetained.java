package io.godwit.inbox.leader.session;

import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.ReplayRecord;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Connected;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Writes;
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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The replays of one session: which retained messages its subscriptions are still owed, and on which topics newer live
 * messages have come meanwhile. Exists only while something is owed. Owned by the range leader.
 *
 * <p>The batch that brings a retained message also moves its replay ({@link #moveOn}), so that a crash loses both or
 * neither; the batch writes only the last position, however many messages it has. No replay moves in a later batch
 * before that one is done ({@link #mustWait}): if it fails, the replay returns to its old position, and no message
 * after the lost one is in the store. The position after a skipped message (outdated, or sent at QoS 0) is written with
 * the next batch that brings a message, or lazily.
 *
 * <p>A live message on a topic that a replay may still reach is noted once, in the batch that brings it
 * ({@link #noteLive}); the notes are deleted when nothing is owed any more. A note has the sequence of the last
 * relevant live message, and each replay the sequence at which it began, so earlier messages do not count for a
 * subscription. A batch may leave out the message, because an earlier one of its publisher has failed. It then leaves
 * out the note too, unless it has another message of the topic. So a replay that reaches the topic waits until the
 * batch with the note is done ({@link #isUndecided}).
 *
 * <p>{@link ReplayRecord} is the stored format.
 */
public final class OwedRetained {
    /** The replay to one subscription. */
    static final class Replay implements Inbox.Place {
        private final Inbox state;
        private final byte[] suffix;
        /** Live messages with a higher sequence came after the subscription. */
        private final long since;
        /** Position, including pending batches. */
        private String place;
        /** The position that the last batch wrote; null when that batch failed. */
        private @Nullable String told;
        /** Position before {@link #movedBy}. */
        private String before;

        private @Nullable Batch movedBy;
        /** All messages are given, and the deletion of the replay is pending. */
        private boolean isEnding;
        /** Id of the first batch that may write the position. */
        private final long notBefore;
        /** From this batch on, the stored replay is another one, or none. */
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

        /** Writes the position at sealing, unless a later step of the same batch has ended the replay. */
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

    /** Notes that a live message has come on a topic. */
    private static final class Note {
        /** Sequence of the newest relevant message. */
        final long sequence;

        /** The note may not be stored before this batch is done. Null once it is stored. */
        @Nullable
        Batch pending;

        /** The note that it replaces; null for none, and once this one is stored. */
        private @Nullable Note before;
        /** Number of messages in {@link #pending} that the encoding has not reached yet. */
        private int messages;

        private boolean isWritten;
        private boolean isLost;

        Note(long sequence, @Nullable Batch pending, @Nullable Note before) {
            this.sequence = sequence;
            this.pending = pending;
            this.before = before;
        }
    }

    private final Writes writes;
    private final Inbox state;
    private final Runnable discard;
    private final Map<TopicFilter, Replay> replays = new LinkedHashMap<>(2);
    private final Map<String, Note> notes = new HashMap<>(0);
    /** The batch in which replays moved last; null when it is done. */
    private @Nullable Batch underWay;
    /** The session has ended. */
    private boolean isOver;
    /** Nothing is owed any more, so the session has dropped this object. */
    private boolean isLeft;

    /** @param discard has the inbox loaded again, when a change in memory could not be written */
    public OwedRetained(Writes writes, Inbox state, Runnable discard) {
        this.writes = writes;
        this.state = state;
        this.discard = discard;
    }

    // --- what is owed

    /** Position of the first retained message that the subscription is still owed; null when it is owed none. */
    public @Nullable String from(TopicFilter filter) {
        Replay replay = replays.get(filter);
        return replay == null || replay.isEnding ? null : replay.place;
    }

    public boolean isOwed(TopicFilter filter) {
        return from(filter) != null;
    }

    boolean isEmpty() {
        return replays.isEmpty();
    }

    /** Whether all was given while the session existed: this object then counts as absent. */
    boolean isLeft() {
        return isLeft;
    }

    /** The highest sequence in any replay or note. */
    public long lastSequence() {
        long last = 0;
        for (Replay replay : replays.values()) {
            last = Math.max(last, replay.since);
        }
        for (Note note : notes.values()) {
            last = Math.max(last, note.sequence);
        }
        return last;
    }

    /** Number of topics in memory. */
    public int size() {
        return notes.size();
    }

    /**
     * Begins the replay of all retained messages to a new subscription.
     *
     * @param since greater than the sequences of all messages queued so far
     */
    public void begin(TopicFilter filter, long since, Batch batch) {
        Replay replay = new Replay(state, filter, since, StoredSubscription.ALL_RETAINED, batch.id);
        Replay earlier = replays.put(filter, replay);
        if (earlier != null) {
            earlier.overInBatch = batch.id;
        }
        state.queue.setHasData();
        batch.put(state, replay.suffix, replay.encode());
    }

    /** The subscription was removed. */
    public void cancel(TopicFilter filter, Batch batch) {
        Replay replay = replays.remove(filter);
        if (replay != null) {
            delete(replay, batch);
            leaveIfEmpty();
        }
    }

    /**
     * All messages are given. Live topics are noted until that is stored, because after a crash the replay continues.
     */
    public void end(TopicFilter filter, Batch batch) {
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

    /** The session ends in this batch, and all its keys are deleted. */
    public void over(Batch batch) {
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

    /** Whether the next message must wait: the batch with the earlier ones is full and not done yet. */
    public boolean mustWait() {
        return underWay != null && !writes.isOpen(underWay);
    }

    /** Whether the replay is at this position. */
    public boolean isAt(TopicFilter filter, String place) {
        return place.equals(from(filter));
    }

    /** Moves the replay: the message of {@code step} is in {@code batch}, the open one. */
    public void moveOn(ReplayStep step, Batch batch) {
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

    /** Moves the replay so that a failure of the batch moves it back. */
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
     * Moves the replay past a message that is not stored.
     *
     * @return the batch whose failure moves the replay back to before this step; null when there is none
     */
    public @Nullable Batch passOver(ReplayStep step) {
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
     * At sealing: adds positions that moved without a message, unless they may move back.
     *
     * @return whether the batch had no room for all of them
     */
    public boolean tellMoved(Inbox.Sealing batch) {
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

    /**
     * A batch with replay steps failed. Loads the inbox again if another connection was told a position that is now
     * wrong, or if the outcome is unknown.
     */
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
        goOnReplaying();
    }

    // --- live messages during a replay

    /**
     * A live message of the topic was placed in the queue.
     *
     * @param joined the batch that brings it; null when none does
     * @param isLeftOut asked when the batch has encoded the message: whether the message is not in it
     */
    public void noteLive(String topic, long sequence, @Nullable Batch joined, BooleanSupplier isLeftOut) {
        long newest = -1;
        for (Map.Entry<TopicFilter, Replay> entry : replays.entrySet()) {
            if (entry.getValue().since > newest && entry.getKey().matches(topic)) {
                newest = entry.getValue().since;
            }
        }
        if (newest < 0) {
            return;
        }
        Note known = notes.get(topic);
        if (known != null && known.sequence > newest) {
            Batch in = known.pending;
            if (in == null) {
                return;
            }
            if (in == joined || writes.isOpen(in)) {
                write(topic, known, in, isLeftOut); // the messages before it may be left out
                return;
            }
        }
        Batch batch = joined != null ? joined : writes.openBatch();
        Note note = new Note(sequence, batch, known);
        notes.put(topic, note);
        batch.grow(topic.length() + 32);
        write(topic, note, batch, isLeftOut);
        batch.whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                if (note.isWritten) {
                    note.pending = null;
                    note.before = null;
                }
                goOnReplaying();
            }

            @Override
            public void failed(RangeException cause) {
                lost(topic, note);
                goOnReplaying();
            }
        });
    }

    /** Has the batch write the note, once, if it has one of the messages. */
    private void write(String topic, Note note, Batch batch, BooleanSupplier isLeftOut) {
        note.messages++;
        batch.write(state, out -> {
            note.messages--;
            if (!note.isWritten && !isLeftOut.getAsBoolean()) {
                note.isWritten = true;
                byte[] suffix = InboxKeys.suffix(InboxKeys.LIVE, topic);
                Batch.writePut(out, state, suffix, ReplayRecord.encodeNote(note.sequence));
            }
            if (!note.isWritten && note.messages == 0) {
                lost(topic, note);
            }
        });
    }

    private void lost(String topic, Note note) {
        Note before = note.before;
        note.isLost = true;
        while (before != null && before.isLost) {
            before = before.before;
        }
        if (before != null) {
            notes.replace(topic, note, before);
        } else {
            notes.remove(topic, note);
        }
    }

    private void goOnReplaying() {
        Connected present = state.connection();
        if (present != null) {
            present.goOnReplaying();
        }
    }

    /** Whether a retained message of the topic must wait: only notes that may not be stored make it outdated. */
    public boolean isUndecided(TopicFilter filter, String topic) {
        Replay replay = replays.get(filter);
        if (replay == null || !hasSeenLive(filter, topic)) {
            return false;
        }
        for (Note note = notes.get(topic); note != null; note = note.before) {
            if (note.pending == null && note.sequence > replay.since) {
                return false;
            }
        }
        return true;
    }

    /** Whether a live message of the topic was queued since the subscription was made. */
    public boolean hasSeenLive(TopicFilter filter, String topic) {
        Replay replay = replays.get(filter);
        Note note = notes.get(topic);
        return replay != null && note != null && note.sequence > replay.since;
    }

    // --- loading

    /**
     * Reads the replays of those {@code subscriptions} that may be owed something into {@code owed}; null when there
     * are none.
     */
    public static @Nullable OwedRetained load(RangeReader reader, OwedRetained owed, List<TopicFilter> subscriptions) {
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
                owed.notes.put(new String(topic, StandardCharsets.UTF_8), new Note(sequence, null, null));
            }
        }
        return owed;
    }
}
