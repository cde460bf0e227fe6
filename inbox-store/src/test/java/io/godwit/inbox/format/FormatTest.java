package io.godwit.inbox.format;

import static io.godwit.inbox.format.InboxKeys.RUN;
import static io.godwit.plugin.message.MessageProperties.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The stored formats can be read back, and fail when a part is missing. */
class FormatTest {
    private static final InboxId ID = new InboxId(TenantId.DEFAULT, new ClientId("client-é"));
    private static final ClientInfo CLIENT = new ClientInfo(ID.tenant(), ID.clientId(), null, "10.0.0.1:7", 4);
    private static final Message MESSAGE =
            new Message("a/b", new byte[] {1, 2, 3}, Qos.EXACTLY_ONCE, true, 12345, NONE);

    @Test
    void aSessionRecordComesBack() {
        StoredSession session = new StoredSession(77, 300, CLIENT, 0xFFFF_FFFFL);
        session.restore(true, 1_700_000_000_000L, true, 3, 1L << 55, true);
        session.setWill(new StoredWill(77, 5, CLIENT, MESSAGE, 30));
        TopicFilter filter = new TopicFilter("g", "x/#");
        SessionRecord record = new SessionRecord(
                session,
                List.of(new StoredWill(76, 4, CLIENT, MESSAGE, 0)),
                List.of(
                        new EndedSession(75, List.of(filter), null),
                        new EndedSession(
                                74, List.of(), new Remains(5, 400, new long[] {5, 6, 7, 9, 200, 201, 399}, true)),
                        new EndedSession(73, List.of(), new Remains(0, 3, new long[] {2}, true))));
        byte[] bytes = record.encode();
        SessionRecord back = SessionRecord.decode(ID, bytes);

        assertThat(back.encode()).isEqualTo(bytes);
        assertThat(back.ended()).usingRecursiveComparison().isEqualTo(record.ended());
        assertThat(back.session().first).isEqualTo(300);
        assertThat(back.session().client()).isEqualTo(CLIENT);
        assertThat(back.session().will().message().topic()).isEqualTo("a/b");
        assertThat(back.session().expirySeconds()).isEqualTo(0xFFFF_FFFFL);
        assertThat(back.session().attachNumber()).isEqualTo(3);
        assertThat(back.session().attempt()).isEqualTo(1L << 55);
        assertThat(back.session().isOfAttempt()).isTrue();
        everyTruncationIsRefused(bytes, part -> SessionRecord.decode(ID, part));
    }

    @Test
    void whoHasAnAttachNumberCountsOnWhenItsNodeIsAlone() {
        StoredSession session = new StoredSession(77, 300, CLIENT, 60);
        session.attach(CLIENT, 60, session.nextAttachNumber(false), 0, false);
        assertThat(session.attachNumber()).isZero();
        session.attach(CLIENT, 60, session.nextAttachNumber(true), 0, false);
        assertThat(session.attachNumber()).isEqualTo(1);
        assertThat(session.nextAttachNumber(false)).isEqualTo(2);
        assertThat(session.nextAttachNumber(true)).isEqualTo(2);
    }

    @Test
    void subscriptionsComeBack() {
        List<StoredSubscription> subscriptions = List.of(
                new StoredSubscription(new TopicFilter(null, "a/+"), Qos.AT_MOST_ONCE, true, false, 2, 268_435_455),
                new StoredSubscription(new TopicFilter(null, "b"), Qos.AT_LEAST_ONCE, false, true, 2, 1),
                new StoredSubscription(new TopicFilter("g", "#"), Qos.EXACTLY_ONCE, false, true, 1, 0));
        byte[] table = FilterTable.encode(subscriptions, subscriptions.get(1).filter()::equals);
        assertThat(FilterTable.decode(table))
                .containsExactly(
                        new FilterTable.Entry(subscriptions.get(0), false),
                        new FilterTable.Entry(subscriptions.get(1), true),
                        new FilterTable.Entry(subscriptions.get(2), false));
    }

    @Test
    void anUnknownVersionIsRefused() {
        byte[] bytes = Progress.NONE.encode();
        bytes[0] = 2;
        assertThatThrownBy(() -> Progress.decode(bytes)).hasMessageContaining("version must be 1, was 2");
    }

    @Property
    void progressComesBack(
            @ForAll @LongRange(min = 0, max = 1L << 40) long floor,
            @ForAll List<@IntRange(max = 100_000) Integer> distances) {
        long[] live = new long[distances.size()];
        long at = floor;
        for (int i = 0; i < live.length; i++) {
            at += distances.get(i) + 1;
            live[i] = at;
        }
        long[] received =
                Arrays.stream(live).filter(sequence -> sequence % 3 == 0).toArray();
        Progress progress = new Progress(floor, at + 1, at + 7, live, received);
        Progress back = Progress.decode(progress.encode());
        assertThat(back.floor()).isEqualTo(floor);
        assertThat(back.horizon()).isEqualTo(at + 1);
        assertThat(back.sentBelow()).isEqualTo(at + 7);
        assertThat(back.live()).isEqualTo(live);
        assertThat(back.received()).isEqualTo(received);
        for (long sequence : live) {
            assertThat(back.isFinished(sequence)).isFalse();
        }
    }

    @Property
    void keysOfAnInboxStandTogetherAndTellWhoseTheyAre(
            @ForAll String first, @ForAll String second, @ForAll @LongRange(min = 0) long number) {
        if (first.isEmpty() || second.isEmpty() || first.length() > 10_000 || second.length() > 10_000) {
            return;
        }
        InboxId id = new InboxId(TenantId.DEFAULT, new ClientId(wellFormed(first)));
        InboxId other = new InboxId(TenantId.DEFAULT, new ClientId(wellFormed(second)));
        byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        byte[] key = InboxKeys.key(prefix, InboxKeys.RUN, number);
        assertThat(InboxKeys.inboxOf(key)).isEqualTo(id);
        assertThat(InboxKeys.number(key, prefix.length)).isEqualTo(number);
        byte[] end = InboxKeys.key(prefix, InboxKeys.END);
        byte[] others = InboxKeys.key(InboxKeys.prefix(other.tenant(), other.clientId()), InboxKeys.SESSION);
        boolean inside = Arrays.compareUnsigned(prefix, others) <= 0 && Arrays.compareUnsigned(others, end) < 0;
        assertThat(inside).isEqualTo(id.equals(other));
    }

    @Test
    void splitKeysCutTheDefaultTenantEvenly() {
        assertThat(InboxKeys.splitKeys(1)).isEmpty();
        List<byte[]> keys = InboxKeys.splitKeys(8);
        assertThat(keys).hasSize(7);
        int[] parts = new int[8];
        for (int i = 0; i < 8000; i++) {
            byte[] prefix = InboxKeys.prefix(TenantId.DEFAULT, new ClientId("device-" + i));
            int part = 0;
            while (part < 7 && Arrays.compareUnsigned(keys.get(part), prefix) <= 0) {
                part++;
            }
            parts[part]++;
        }
        assertThat(Arrays.stream(parts).boxed()).allMatch(size -> size > 700 && size < 1300);
    }

    @Test
    void aRunNamesTheTopicsOfItsMessagesAlsoOfThoseThatStandApart() {
        Map<String, byte[]> written = new HashMap<>();
        byte[] prefix = InboxKeys.prefix(ID.tenant(), ID.clientId());
        MutationCodec.apply(new MapWrites(written), mutation(prefix, out -> {
            insert(out, 7, MESSAGE, false, null);
            insert(
                    out,
                    9,
                    new Message("large", new byte[20_000], Qos.AT_LEAST_ONCE, false, 0, NONE),
                    true,
                    "$share/g/x");
            insert(out, 10, MESSAGE, false, "$share/h/x");
        }));
        RunCodec.Reader run = new RunCodec.Reader(7, written.get(MapWrites.name(prefix, InboxKeys.suffix(RUN, 7))));
        List<String> found = new ArrayList<>();
        while (run.next()) {
            GroupCopy group = run.group();
            found.add(run.sequence() + " " + run.topic() + (group == null ? "" : " for " + group.filter()));
            assertThat(run.subscriptionIds()).containsExactly(4);
        }
        assertThat(found).containsExactly("7 a/b", "9 large for $share/g/x", "10 a/b for $share/h/x");
        assertThat(written).containsKey(MapWrites.name(prefix, InboxKeys.suffix(InboxKeys.BODY, 9)));
    }

    private static byte[] mutation(byte[] prefix, Consumer<ByteWriter> operations) {
        ByteWriter out = new ByteWriter(100);
        out.u8(MutationCodec.VERSION);
        out.varint(1);
        out.block(prefix);
        operations.accept(out);
        return out.toBytes();
    }

    private static void insert(
            ByteWriter out, long sequence, Message message, boolean isApart, @Nullable String group) {
        out.u8(MutationCodec.INSERT);
        out.u8(isApart ? MutationCodec.MESSAGE_APART : 0);
        out.message(message);
        out.varint(1);
        out.varint(0);
        out.varint(sequence);
        out.u8(RunCodec.flags(message.qos(), false, new int[] {4}, group != null));
        RunCodec.writeIds(out, new int[] {4});
        if (group != null) {
            out.string(group);
        }
    }

    private static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static void everyTruncationIsRefused(byte[] bytes, Consumer<byte[]> decode) {
        for (int length = 0; length < bytes.length; length++) {
            byte[] part = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> decode.accept(part)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
