package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map of registers as a state machine. A mutation and a query are the text of a request, an answer that of a reply,
 * so that nothing stands between what a client sees and what the store does. It does not look whether a key is in its
 * range: where one was led astray the history shows it. A query may also be for a {@link Digest}.
 */
public final class RegisterMap implements RangeCoprocessor {
    private static final String DIGEST = "digest ";

    private final Consumer<Request> onApplied;

    /** @param onApplied told of each write that was carried out, before it can be read */
    RegisterMap(Consumer<Request> onApplied) {
        this.onApplied = onApplied;
    }

    @Override
    public void open(RangeBounds bounds, RangeReader reader) {}

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        List<byte[]> replies = new ArrayList<>(mutations.size());
        for (byte[] mutation : mutations) {
            Request request = Request.parse(new String(mutation, UTF_8));
            replies.add(apply(writes, request).toString().getBytes(UTF_8));
        }
        return replies;
    }

    private Reply apply(RangeWrites writes, Request request) {
        byte[] key = request.key().getBytes(UTF_8);
        if (request.kind() == Request.Kind.CAS) {
            byte @Nullable [] found = writes.get(key);
            byte @Nullable [] expected = bytes(request.expected());
            if (!Arrays.equals(found, expected)) {
                return Reply.mismatch(text(found));
            }
        }
        byte @Nullable [] value = bytes(request.value());
        if (value == null) {
            throw new IllegalArgumentException("nothing to write: " + request);
        }
        writes.put(key, value);
        onApplied.accept(request);
        return Reply.ok();
    }

    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        String text = new String(query, UTF_8);
        if (text.startsWith(DIGEST)) {
            String[] words = text.split(" ", -1);
            return digest(snapshot, words[1], words[2]).toString().getBytes(UTF_8);
        }
        Request request = Request.parse(text);
        return Reply.value(text(snapshot.get(request.key().getBytes(UTF_8))))
                .toString()
                .getBytes(UTF_8);
    }

    private static Digest digest(RangeReader snapshot, String start, String end) {
        Digest digest = new Digest();
        try (RangeCursor cursor = snapshot.cursor(start.getBytes(UTF_8), end.getBytes(UTF_8))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                if (key.length == start.length()) {
                    digest.add(key, cursor.value());
                }
            }
        }
        return digest;
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }
}
