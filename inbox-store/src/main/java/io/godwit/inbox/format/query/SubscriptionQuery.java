package io.godwit.inbox.format.query;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.catalog.SessionCatalog.SubscriptionPage;
import io.godwit.inbox.format.ByteReader;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a range for the subscriptions of one session. Its first byte distinguishes it from a {@link SessionQuery}.
 * Strings and varints as elsewhere in the store.
 *
 * <pre>
 * query                                        answer
 * 1       kind and version, 2                  1       kind and version, 2
 * block   prefix of the inbox                  1       0: no session; 1: these are all; 2: there are more
 * 1+n     filter to begin behind, optional     varint  number of subscriptions, each then:
 * varint  most subscriptions of the answer     string  filter as the client wrote it
 * varint  now, milliseconds                    1       options: bits 0-1 QoS, 2 no local, 3 retain as published,
 *                                                      4-5 retain handling
 *                                              varint  subscription identifier, 0 for none
 * </pre>
 *
 * @param prefix {@link InboxKeys#prefix}
 * @param after only filters that sort after this one; null for all
 * @param limit at least 1
 * @param nowMillis wall clock; a session that has ended by then counts as absent
 */
@SuppressWarnings("ArrayRecordComponent")
public record SubscriptionQuery(byte[] prefix, @Nullable String after, int limit, long nowMillis) {
    private static final int KIND = 2;
    private static final int ABSENT = 0;
    private static final int WHOLE = 1;
    private static final int MORE = 2;

    public SubscriptionQuery {
        if (limit < 1) {
            throw new IllegalArgumentException("at least one subscription must be asked for, was " + limit);
        }
    }

    /** Whether the bytes are a subscription query, not a {@link SessionQuery}. */
    public static boolean isOne(byte[] query) {
        return query.length > 0 && query[0] == KIND;
    }

    public byte[] encode() {
        ByteWriter out = new ByteWriter(32 + prefix.length);
        out.u8(KIND);
        out.block(prefix);
        out.optionalString(after);
        out.varint(limit);
        out.varint(nowMillis);
        return out.toBytes();
    }

    /** Fails with {@link IllegalArgumentException} when {@code query} is not of this layout. */
    public static SubscriptionQuery decode(byte[] query) {
        ByteReader in = new ByteReader(query);
        in.version(KIND, "subscription query");
        return new SubscriptionQuery(in.block(), in.optionalString(), in.length(), in.varint());
    }

    /** The answer of a range; the layout is in {@link SubscriptionQuery}. */
    public static final class Answer {
        private Answer() {}

        public static byte[] encode(Optional<SubscriptionPage> answer) {
            ByteWriter out = new ByteWriter(64);
            out.u8(KIND);
            SubscriptionPage page = answer.orElse(null);
            if (page == null) {
                out.u8(ABSENT);
                return out.toBytes();
            }
            out.u8(page.hasMore() ? MORE : WHOLE);
            out.varint(page.subscriptions().size());
            for (StoredSubscription each : page.subscriptions()) {
                out.string(each.filter().text());
                out.u8(each.qos().value()
                        | (each.noLocal() ? 4 : 0)
                        | (each.retainAsPublished() ? 8 : 0)
                        | each.retainHandling() << 4);
                out.varint(each.subscriptionId());
            }
            return out.toBytes();
        }

        /** Fails with {@link IllegalArgumentException} when {@code answer} is not of this layout. */
        public static Optional<SubscriptionPage> decode(byte[] answer) {
            ByteReader in = new ByteReader(answer);
            in.version(KIND, "subscription answer");
            int state = in.u8();
            if (state == ABSENT) {
                return Optional.empty();
            }
            int count = in.length();
            List<StoredSubscription> found = new ArrayList<>(Math.min(count, answer.length / 3));
            for (int i = 0; i < count; i++) {
                String filter = in.string();
                int options = in.u8();
                found.add(new StoredSubscription(
                        FilterTable.parse(filter),
                        Qos.of(options & 3),
                        (options & 4) != 0,
                        (options & 8) != 0,
                        options >>> 4 & 3,
                        in.length()));
            }
            return Optional.of(new SubscriptionPage(found, state == MORE));
        }
    }
}
