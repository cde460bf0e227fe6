package io.godwit.inbox.format;

import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads pages of a queue from the store, on an I/O thread. */
public final class QueueReader {
    /**
     * Messages in sequence order; some may be finished.
     *
     * @param isEnd whether the snapshot has no more of the requested messages after the last one
     */
    public record Page(List<QueuedCopy> copies, boolean isEnd) {}

    private QueueReader() {}

    /**
     * The messages from {@code sequence} on, below {@code endSequence}: as many as fit, but at least one if there is
     * one. Skips everything before the run that holds {@code sequence}, because many tombstones are there.
     */
    public static Page page(
            RangeReader reader, byte[] prefix, long sequence, long endSequence, int maxMessages, int maxBytes) {
        byte[] end = InboxKeys.key(prefix, InboxKeys.RUN, endSequence);
        byte[] start = startOfRun(reader, prefix, sequence);
        List<QueuedCopy> copies = new ArrayList<>();
        int bytes = 0;
        try (RangeCursor cursor = reader.cursor(start, end)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                RunCodec.Reader run =
                        new RunCodec.Reader(InboxKeys.number(cursor.key(), prefix.length), cursor.value());
                while (run.next()) {
                    if (run.sequence() < sequence) {
                        continue;
                    }
                    if (copies.size() >= maxMessages || bytes >= maxBytes) {
                        return new Page(copies, false);
                    }
                    QueuedCopy copy = read(reader, prefix, run);
                    if (copy != null) {
                        copies.add(copy);
                        bytes += copy.heldBytes();
                    }
                }
            }
        }
        return new Page(copies, true);
    }

    private static byte[] startOfRun(RangeReader reader, byte[] prefix, long sequence) {
        // when a queue is read in pages, a run often begins exactly here; a get is cheaper than a backward seek
        byte[] exact = InboxKeys.key(prefix, InboxKeys.RUN, sequence);
        if (reader.get(exact) != null) {
            return exact;
        }
        try (RangeCursor back = reader.cursor(InboxKeys.key(prefix, InboxKeys.RUN), exact)) {
            back.seekToLast();
            return back.isValid() ? back.key() : exact;
        }
    }

    /** Null when its body has been trimmed: the message was finished after the read was requested. */
    private static @Nullable QueuedCopy read(RangeReader reader, byte[] prefix, RunCodec.Reader run) {
        Message message;
        if (run.isApart()) {
            byte[] body = reader.get(InboxKeys.key(prefix, InboxKeys.BODY, run.sequence()));
            if (body == null) {
                return null;
            }
            message = MessageCodec.decode(ByteBuffer.wrap(body));
        } else {
            message = run.message();
        }
        return new QueuedCopy(run.sequence(), message, run.qos(), run.retain(), run.subscriptionIds(), run.group());
    }
}
