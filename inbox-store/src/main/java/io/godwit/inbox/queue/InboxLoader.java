package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads one inbox into an {@link InboxState}, on an I/O thread; the state is nobody else's until it has been handed
 * over. Walks the heads of the runs that hold unfinished messages, not their large bodies.
 */
final class InboxLoader {
    private InboxLoader() {}

    /** @param leader whose state it will be */
    static InboxState load(RangeReader reader, InboxLeader leader, InboxId id, byte[] prefix) {
        InboxState state = new InboxState(id, prefix);
        byte[] record = reader.get(InboxKeys.key(prefix, InboxKeys.SESSION));
        if (record == null) {
            return state;
        }
        state.recordBytes = record.length;
        SessionRecord stored = SessionRecord.decode(id, record);
        state.session = stored.session();
        state.owed.addAll(stored.owed());
        state.ended.addAll(stored.ended());
        byte[] ceiling = reader.get(InboxKeys.key(prefix, InboxKeys.CEILING));
        long storedCeiling = ceiling == null ? 0 : new ByteReader(ceiling).u64();
        Session session = state.session;
        long lastUsed = 0;
        for (EndedSession over : state.ended) {
            Remains remains = over.remains();
            lastUsed = remains == null ? lastUsed : Math.max(lastUsed, remains.end() - 1);
        }
        for (StoredWill will : state.owed) {
            lastUsed = Math.max(lastUsed, will.number());
        }
        if (session != null) {
            state.ledger = leader.states().newLedger(session.first);
            loadFilters(reader, leader, state, session);
            lastUsed = Math.max(lastUsed, Math.max(session.first - 1, loadQueue(reader, state)));
            loadTokens(reader, state);
            lastUsed = Math.max(lastUsed, loadInbound(reader, state));
            StoredWill will = session.will;
            lastUsed = will == null ? lastUsed : Math.max(lastUsed, will.number());
            OwedRetained retained = session.retained;
            lastUsed = retained == null ? lastUsed : Math.max(lastUsed, retained.lastSequence());
        }
        // the ceiling alone is enough, but for what was written by a release that told it only once
        state.sequences = new SequenceAllocator(lastUsed + 1, storedCeiling);
        return state;
    }

    /** What the queue of {@code session} holds; a ledger with sizes that is nobody's. */
    static Ledger queueOf(RangeReader reader, InboxId id, byte[] prefix, Session session) {
        InboxState state = new InboxState(id, prefix);
        state.ledger = Ledger.withSizes(session.first);
        loadQueue(reader, state);
        return state.ledger;
    }

    private static void loadFilters(RangeReader reader, InboxLeader leader, InboxState state, Session session) {
        List<TopicFilter> mayBeOwed = new ArrayList<>(0);
        byte[] from = InboxKeys.key(state.prefix, InboxKeys.FILTERS);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(state.prefix, InboxKeys.FILTERS + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                for (FilterTable.Entry entry : FilterTable.decode(cursor.value())) {
                    TopicFilter filter = entry.subscription().filter();
                    session.filters.put(filter, entry.subscription());
                    if (entry.mayBeOwed()) {
                        mayBeOwed.add(filter);
                    }
                }
            }
        }
        session.retained = mayBeOwed.isEmpty() ? null : OwedRetained.load(reader, leader, state, mayBeOwed);
    }

    private static long loadQueue(RangeReader reader, InboxState state) {
        byte[] prefix = state.prefix;
        byte[] value = reader.get(InboxKeys.key(prefix, InboxKeys.PROGRESS));
        Progress progress = value == null ? Progress.NONE : Progress.decode(value);
        Ledger ledger = state.ledger;
        ledger.startAt(progress.floor(), progress.horizon());
        long last = Math.max(0, progress.horizon() - 1);
        state.hasData |= value != null;
        SharedTopics topics = new SharedTopics();
        PayloadSizes sizes = new PayloadSizes(reader, prefix);
        byte[] from = InboxKeys.key(prefix, InboxKeys.RUN, ledger.floor());
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(prefix, InboxKeys.RUN + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                state.hasData = true;
                long first = InboxKeys.number(cursor.key(), prefix.length);
                RunCodec.Reader run = new RunCodec.Reader(first, cursor.value());
                while (run.next()) {
                    long sequence = run.sequence();
                    last = Math.max(last, sequence);
                    if (progress.isFinished(sequence)) {
                        continue;
                    }
                    ledger.append(
                            sequence,
                            run.qos().value(),
                            run.isApart(),
                            topics.shared(run.topic()),
                            run.group() != null,
                            ledger.hasSizes() ? sizes.of(run) : 0);
                    if (sequence == first) {
                        ledger.markRunStart(sequence);
                    }
                    if (progress.isReceived(sequence)) {
                        ledger.setReceived(ledger.find(sequence), true);
                    }
                }
            }
        }
        ledger.guessUnknown(sizes.average());
        state.appliedSequence = last;
        state.storedSentBelow = progress.sentBelow();
        return last;
    }

    /** The bytes of payloads; those of large messages, whose bodies stand apart, only of some. */
    private static final class PayloadSizes {
        private final RangeReader reader;
        private final byte[] prefix;
        private int read;
        private long bytesRead;

        PayloadSizes(RangeReader reader, byte[] prefix) {
            this.reader = reader;
            this.prefix = prefix;
        }

        int of(RunCodec.Reader run) {
            if (!run.isApart()) {
                return run.payloadBytes();
            }
            if (read == Ledger.APART_SAMPLE) {
                return Ledger.UNKNOWN;
            }
            byte[] body = reader.get(InboxKeys.key(prefix, InboxKeys.BODY, run.sequence()));
            int bytes = body == null ? 0 : MessageCodec.payloadSize(ByteBuffer.wrap(body));
            read++;
            bytesRead += bytes;
            return bytes;
        }

        int average() {
            return read == 0 ? 0 : (int) (bytesRead / read);
        }
    }

    private static void loadTokens(RangeReader reader, InboxState state) {
        byte[] prefix = state.prefix;
        byte[] from = InboxKeys.key(prefix, InboxKeys.TOKEN);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(prefix, InboxKeys.TOKEN + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                TokenMemory tokens = state.tokens();
                byte[] key = cursor.key();
                byte[] source = Arrays.copyOfRange(key, prefix.length + 9, key.length);
                tokens.add(
                        new String(source, StandardCharsets.UTF_8),
                        InboxKeys.number(key, prefix.length),
                        TokenMemory.decodeStoredAt(cursor.value()),
                        null);
                state.hasData = true;
            }
        }
    }

    /** Gives back the highest token number. */
    private static long loadInbound(RangeReader reader, InboxState state) {
        byte[] prefix = state.prefix;
        long last = 0;
        byte[] from = InboxKeys.key(prefix, InboxKeys.INBOUND);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(prefix, InboxKeys.INBOUND + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                int packetId = new ByteReader(key, prefix.length + 1, 2).u16();
                InboundFlows.Flow flow = InboundFlows.Flow.decode(packetId, cursor.value());
                state.inbound().put(flow);
                last = Math.max(last, flow.number);
                state.hasData = true;
            }
        }
        return last;
    }
}
