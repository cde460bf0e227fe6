package io.godwit.inbox.format;

import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.plugin.message.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutation: the writes of one batch of the leader. The leader has decided everything, so applying a mutation reads
 * nothing and refuses nothing.
 *
 * <pre>
 * 1        version, 1
 * varint   number of inboxes it touches, each: its prefix as a block; operations name them by index
 * then operations, to the end:
 *
 * 1 INSERT        1 flags (1 token, 2 message apart); message as a block;
 *                 string origin, varint number, varint stored at (millis)                       (flag 1)
 *                 varint number of copies, each: varint inbox, varint sequence, 1 run flags, identifiers and shared
 *                     subscription as in a run;
 *                        the token of a run comes from the head
 * 2 PUT           varint inbox, block key suffix, block value
 * 3 DELETE        varint inbox, block key suffix
 * 4 DELETE_RANGE  varint inbox, block first suffix, block end suffix
 * </pre>
 *
 * <p>A mutation contains the payload of a message for many inboxes once. The copies of one inbox in one mutation become
 * one run; a DELETE_RANGE ends the run begun before it.
 */
public final class MutationCodec {
    public static final int VERSION = 1;
    public static final int INSERT = 1;
    public static final int PUT = 2;
    public static final int DELETE = 3;
    public static final int DELETE_RANGE = 4;
    public static final int HAS_TOKEN = 1;
    public static final int MESSAGE_APART = 2;

    private MutationCodec() {}

    /** Applies one mutation. Holds nothing between mutations. */
    public static void apply(RangeWrites writes, byte[] mutation) {
        new Applier(writes, mutation).run();
    }

    private static final class Applier {
        private final RangeWrites writes;
        private final byte[] mutation;
        private final ByteReader in;
        private final List<byte[]> prefixes = new ArrayList<>();
        private final List<@Nullable Run> runs = new ArrayList<>();

        Applier(RangeWrites writes, byte[] mutation) {
            this.writes = writes;
            this.mutation = mutation;
            this.in = new ByteReader(mutation);
        }

        void run() {
            in.version(VERSION, "inbox mutation");
            for (int left = in.length(); left > 0; left--) {
                prefixes.add(in.block());
                runs.add(null);
            }
            while (in.hasMore()) {
                int operation = in.u8();
                switch (operation) {
                    case INSERT -> insert();
                    case PUT -> {
                        byte[] prefix = prefixes.get(in.length());
                        byte[] key = InboxKeys.key(prefix, in.block());
                        writes.put(key, in.block());
                    }
                    case DELETE -> {
                        byte[] prefix = prefixes.get(in.length());
                        writes.delete(InboxKeys.key(prefix, in.block()));
                    }
                    case DELETE_RANGE -> {
                        int inbox = in.length();
                        flush(inbox);
                        byte[] start = InboxKeys.key(prefixes.get(inbox), in.block());
                        writes.deleteRange(start, InboxKeys.key(prefixes.get(inbox), in.block()));
                    }
                    default -> throw new IllegalArgumentException("unknown inbox operation " + operation);
                }
            }
            for (int inbox = 0; inbox < runs.size(); inbox++) {
                flush(inbox);
            }
        }

        private void insert() {
            int flags = in.u8();
            int start = in.position();
            int messageLength = in.length();
            int messageStart = in.position();
            in.skip(messageLength);
            int messageEnd = in.position();
            String origin = null;
            long number = 0;
            byte[] tokenValue = {};
            if ((flags & HAS_TOKEN) != 0) {
                origin = in.string();
                number = in.varint();
                tokenValue = TokenRecord.encodeStoredAt(in.varint());
            }
            for (int left = in.length(); left > 0; left--) {
                int inbox = in.length();
                long sequence = in.varint();
                byte[] prefix = prefixes.get(inbox);
                int from = in.position();
                int runFlags = in.u8();
                RunCodec.readIds(in, runFlags);
                String sharedFilter = (runFlags & RunCodec.GROUP) == 0 ? null : in.string();
                if (origin != null) {
                    String source = TokenRecord.source(origin, sharedFilter);
                    writes.put(InboxKeys.key(prefix, InboxKeys.tokenSuffix(source, number)), tokenValue);
                }
                Run run = runOf(inbox, sequence);
                run.out.varint(sequence - run.last);
                run.last = sequence;
                boolean isApart = (flags & MESSAGE_APART) != 0;
                run.out.u8(isApart ? runFlags | RunCodec.APART : runFlags);
                run.out.raw(mutation, from + 1, in.position() - from - 1);
                if (sharedFilter != null) {
                    RunCodec.writeToken(run.out, origin, number);
                }
                if (!isApart) {
                    run.out.raw(mutation, start, messageEnd - start);
                } else {
                    run.out.string(MessageCodec.topic(ByteBuffer.wrap(mutation, messageStart, messageLength)));
                    byte[] body = new byte[messageLength];
                    System.arraycopy(mutation, messageStart, body, 0, messageLength);
                    writes.put(InboxKeys.key(prefix, InboxKeys.BODY, sequence), body);
                }
            }
        }

        private Run runOf(int inbox, long sequence) {
            Run run = runs.get(inbox);
            if (run == null) {
                run = new Run(sequence);
                runs.set(inbox, run);
            }
            return run;
        }

        private void flush(int inbox) {
            Run run = runs.get(inbox);
            if (run != null) {
                writes.put(InboxKeys.key(prefixes.get(inbox), InboxKeys.RUN, run.first), run.out.toBytes());
                runs.set(inbox, null);
            }
        }
    }

    /** A run being built. */
    private static final class Run {
        final long first;
        final ByteWriter out = new ByteWriter(128);
        long last;

        Run(long first) {
            this.first = first;
            this.last = first;
            out.u8(RunCodec.VERSION);
        }
    }
}
