package io.godwit.inbox.leader.state;

import io.godwit.inbox.format.ByteReader;
import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboundRecord;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.Progress;
import io.godwit.inbox.format.Remains;
import io.godwit.inbox.format.RunCodec;
import io.godwit.inbox.format.SessionRecord;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.format.TokenRecord;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.SeenTokens;
import io.godwit.inbox.ledger.SequenceAllocator;
import io.godwit.inbox.ledger.SharedTopics;
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
import java.util.function.Consumer;

/**
 * Reads one inbox into an {@link InboxState}, on an I/O thread; nothing else uses the state until it is returned. Reads
 * the runs that hold unfinished messages, but not their large bodies.
 */
public final class InboxLoader {
    private final StockKeeping stock;
    private final Writes writes;
    private final Consumer<InboxState> discard;

    /** @param discard discards an inbox, which is then loaded again */
    InboxLoader(StockKeeping stock, Writes writes, Consumer<InboxState> discard) {
        this.stock = stock;
        this.writes = writes;
        this.discard = discard;
    }

    InboxState load(RangeReader reader, InboxId id, byte[] prefix) {
        InboxState state = new InboxState(id, prefix);
        byte[] record = reader.get(InboxKeys.key(prefix, InboxKeys.SESSION));
        if (record == null) {
            return state;
        }
        state.writes.setRecordBytes(record.length);
        SessionRecord stored = SessionRecord.decode(id, record);
        StoredSession live = stored.session();
        state.setSession(live == null ? null : new LeaderSession(live));
        state.owed().addAll(stored.owed());
        state.ended().addAll(stored.ended());
        byte[] ceiling = reader.get(InboxKeys.key(prefix, InboxKeys.CEILING));
        long storedCeiling = ceiling == null ? 0 : new ByteReader(ceiling).u64();
        LeaderSession session = state.session();
        long lastUsed = 0;
        for (EndedSession over : state.ended()) {
            Remains remains = over.remains();
            lastUsed = remains == null ? lastUsed : Math.max(lastUsed, remains.end() - 1);
        }
        for (StoredWill will : state.owed()) {
            lastUsed = Math.max(lastUsed, will.number());
        }
        if (session != null) {
            state.queue.setLedger(stock.newLedger(session.first));
            loadFilters(reader, state, session);
            lastUsed = Math.max(lastUsed, Math.max(session.first - 1, loadQueue(reader, state)));
            loadTokens(reader, state);
            lastUsed = Math.max(lastUsed, loadInbound(reader, state));
            StoredWill will = session.will();
            lastUsed = will == null ? lastUsed : Math.max(lastUsed, will.number());
            OwedRetained retained = session.retained();
            lastUsed = retained == null ? lastUsed : Math.max(lastUsed, retained.lastSequence());
        }
        // the ceiling alone is enough, except for inboxes written by an old release that stored it only once
        state.queue.setSequences(new SequenceAllocator(lastUsed + 1, storedCeiling));
        return state;
    }

    /** The queue of {@code session} as a ledger with sizes that belongs to no inbox in memory. */
    public static Ledger queueOf(RangeReader reader, InboxId id, byte[] prefix, StoredSession session) {
        InboxState state = new InboxState(id, prefix);
        state.queue.setLedger(Ledger.withSizes(session.first));
        loadQueue(reader, state);
        state.queue.ledger().markSentBelow(state.queue.storedSentBelow());
        return state.queue.ledger();
    }

    private void loadFilters(RangeReader reader, InboxState state, LeaderSession session) {
        List<TopicFilter> mayBeOwed = new ArrayList<>(0);
        byte[] from = InboxKeys.key(state.prefix, InboxKeys.FILTERS);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(state.prefix, InboxKeys.FILTERS + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                for (FilterTable.Entry entry : FilterTable.decode(cursor.value())) {
                    TopicFilter filter = entry.subscription().filter();
                    session.filters().load(entry.subscription());
                    if (entry.mayBeOwed()) {
                        mayBeOwed.add(filter);
                    }
                }
            }
        }
        if (!mayBeOwed.isEmpty()) {
            OwedRetained owed = new OwedRetained(writes, state, () -> discard.accept(state));
            session.owe(OwedRetained.load(reader, owed, mayBeOwed));
        }
    }

    private static long loadQueue(RangeReader reader, InboxState state) {
        byte[] prefix = state.prefix;
        byte[] value = reader.get(InboxKeys.key(prefix, InboxKeys.PROGRESS));
        Progress progress = value == null ? Progress.NONE : Progress.decode(value);
        Ledger ledger = state.queue.ledger();
        ledger.startAt(progress.floor(), progress.horizon());
        long last = Math.max(0, progress.horizon() - 1);
        if (value != null) {
            state.queue.setHasData();
        }
        SharedTopics topics = new SharedTopics();
        PayloadSizes sizes = new PayloadSizes(reader, prefix);
        byte[] from = InboxKeys.key(prefix, InboxKeys.RUN, ledger.floor());
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(prefix, InboxKeys.RUN + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                state.queue.setHasData();
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
        state.queue.setAppliedSequence(last);
        state.queue.setStoredSentBelow(progress.sentBelow());
        return last;
    }

    /** Payload sizes. Only some of the large messages, whose bodies are stored apart, are read for it. */
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
                SeenTokens tokens = state.queue.tokens();
                byte[] key = cursor.key();
                byte[] source = Arrays.copyOfRange(key, prefix.length + 9, key.length);
                tokens.add(
                        new String(source, StandardCharsets.UTF_8),
                        InboxKeys.number(key, prefix.length),
                        TokenRecord.decodeStoredAt(cursor.value()),
                        null);
                state.queue.setHasData();
            }
        }
    }

    /** Returns the highest token number. */
    private static long loadInbound(RangeReader reader, InboxState state) {
        byte[] prefix = state.prefix;
        long last = 0;
        byte[] from = InboxKeys.key(prefix, InboxKeys.INBOUND);
        try (RangeCursor cursor = reader.cursor(from, InboxKeys.key(prefix, InboxKeys.INBOUND + 1))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                int packetId = new ByteReader(key, prefix.length + 1, 2).u16();
                InboundRecord record = InboundRecord.decode(cursor.value());
                InboundFlows.Flow flow = new InboundFlows.Flow(packetId, record.number(), record.message());
                state.queue.inbound().put(flow);
                last = Math.max(last, flow.number);
                state.queue.setHasData();
            }
        }
        return last;
    }
}
