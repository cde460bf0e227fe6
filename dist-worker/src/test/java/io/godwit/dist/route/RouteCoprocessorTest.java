package io.godwit.dist.route;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.LeftBehind;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.ViewRecord;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.StoredRecord;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.testing.CountingReader;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The node's index when ranges are split, merged, removed and rebuilt. */
class RouteCoprocessorTest {
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private static final InboxReceiver RECEIVER = new InboxReceiver(TenantId.DEFAULT, new ClientId("c"), 1);
    private static final byte[] VALUE = RouteKeys.value(OPTIONS);

    /** A view with one member; see MembersViewCodec. */
    private static final byte[] VIEW_OF_REVISION_3 = {
        1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2
    };

    private final TopicIndex index = new TopicIndex(new SharedStrategies(SharedPick.RANDOM));
    private final CurrentView members = new CurrentView();
    private final RecordIndex records = new RecordIndex();
    private final CountingReader stored = new CountingReader();

    @Test
    void aCutReadsNothingAndTakesNoRouteOutOfForce() {
        put(1_000);
        RouteCoprocessor range = new RouteCoprocessor(index, members, records);
        range.open(ALL, stored);
        stored.forgetReads();

        byte[] cut = key(500);
        range.boundsChanged(ALL, new RangeBounds(new byte[0], cut), stored);

        assertThat(stored.reads()).isZero();
        assertThat(index.counts().subscriptions()).isEqualTo(1_000);
    }

    @Test
    void aMergeReadsWhatWasAddedAlone() {
        put(1_000);
        RangeBounds left = new RangeBounds(new byte[0], key(900));
        RouteCoprocessor range = new RouteCoprocessor(index, members, records);
        range.open(left, stored);
        assertThat(index.counts().subscriptions()).isEqualTo(900);
        stored.forgetReads();

        range.boundsChanged(left, ALL, stored);

        assertThat(index.counts().subscriptions()).isEqualTo(1_000);
        assertThat(stored.reads()).isEqualTo(100);
    }

    /** This node's replica of the right range had not applied the last removals when the left range took its keys. */
    @Test
    void aMergeRemovesWhatTheRightRangeHadLost() {
        put(1_000);
        RangeBounds left = new RangeBounds(new byte[0], key(900));
        RouteCoprocessor range = new RouteCoprocessor(index, members, records);
        range.open(left, stored);
        new RouteCoprocessor(index, members, records).open(new RangeBounds(key(900), null), stored);
        stored.content().remove(key(950));

        range.boundsChanged(left, ALL, stored);

        assertThat(index.counts().subscriptions()).isEqualTo(999);
    }

    /** A rebuilt replica has its own coprocessor, which knows nothing of the first one. */
    @Test
    void aReplicaThatIsBegunAnewRemovesWhatHasVanishedMeanwhile() {
        put(100);
        RouteCoprocessor first = new RouteCoprocessor(index, members, records);
        first.open(ALL, stored);
        first.close();
        assertThat(index.counts().subscriptions())
                .as("routes of a closed replica stay until another one replaces them")
                .isEqualTo(100);
        for (int i = 0; i < 40; i++) {
            stored.content().remove(key(i));
        }

        new RouteCoprocessor(index, members, records).open(ALL, stored);

        assertThat(index.counts().subscriptions()).isEqualTo(60);
    }

    /** Its keys beyond the split belong to a range of which this node got a newer replica by a snapshot. */
    @Test
    void aReplicaBehindASplitTellsNothingOfKeysThatWereCutOff() {
        put(1_000);
        RouteCoprocessor behind = new RouteCoprocessor(index, members, records);
        behind.epochIs(4);
        behind.open(ALL, stored);
        CountingReader newer = new CountingReader();
        newer.content().putAll(stored.content());
        newer.content().remove(key(950));
        RouteCoprocessor cutOff = new RouteCoprocessor(index, members, records);
        cutOff.epochIs(5);
        cutOff.open(new RangeBounds(key(900), null), new CountingReader());
        cutOff.open(new RangeBounds(key(900), null), newer); // the snapshot
        apply(behind, key(950), VALUE); // as it was before it was removed
        apply(behind, key(960), null); // as it was before it was added again
        apply(behind, key(100), null);
        assertThat(has(950)).isFalse();
        assertThat(has(960)).isTrue();
        assertThat(has(100)).isFalse();

        behind.open(ALL, stored); // a snapshot that is older still
        assertThat(has(950)).isFalse();

        apply(cutOff, key(960), null);
        assertThat(has(960)).isFalse();
        cutOff.close();
        apply(behind, key(970), null);
        assertThat(has(970))
                .as("a replica that is behind does not add routes that were cut off")
                .isFalse();
    }

    @Test
    void aReplicaBehindAMergeTellsNothingAnyMore() {
        put(1_000);
        RangeBounds left = new RangeBounds(new byte[0], key(900));
        RouteCoprocessor range = new RouteCoprocessor(index, members, records);
        range.epochIs(2);
        range.open(left, stored);
        RouteCoprocessor right = new RouteCoprocessor(index, members, records);
        right.epochIs(7);
        right.open(new RangeBounds(key(900), null), stored);
        apply(range, key(950), null);
        assertThat(has(950)).as("a key of another range is not removed").isTrue();
        range.epochIs(9);
        range.boundsChanged(left, ALL, stored);
        apply(right, key(950), null);
        assertThat(has(950)).isTrue();
        apply(range, key(950), null);
        assertThat(has(950)).isFalse();
    }

    @Test
    void onlyWhatWasLeftBehindIsLookedAt() {
        LeftBehind left = new LeftBehind();
        left.add(bounds("c", "f"));
        assertThat(left.takeOver(bounds("a", "c"))).isFalse();
        assertThat(left.takeOver(bounds("f", null))).isFalse();
        assertThat(left.takeOver(bounds("a", "d"))).isTrue();
        assertThat(left.takeOver(bounds("d", "g")))
                .as("the remaining part overlaps")
                .isTrue();
        assertThat(left.takeOver(bounds("c", "f"))).isTrue();
        assertThat(left.takeOver(bounds("a", null)))
                .as("parts that were taken over are not checked again")
                .isFalse();
        for (int i = 0; i < 1_000; i++) {
            left.add(bounds("k" + i, "k" + i + "x"));
        }
        assertThat(left.takeOver(bounds("z", null)))
                .as("with too many parts, every range must be checked")
                .isTrue();
    }

    @Test
    void theViewOfMembersLiesBesideTheRoutesAndIsToldWhereverItsKeyGoes() {
        put(10);
        stored.content().put(ViewRecord.key(), VIEW_OF_REVISION_3);
        RouteCoprocessor left = new RouteCoprocessor(index, members, records);
        RangeBounds routes = new RangeBounds(new byte[0], ViewRecord.key());
        left.open(routes, stored);
        assertThat(members.get().revision()).isZero();
        left.boundsChanged(routes, ALL, stored);
        assertThat(members.get().revision()).isEqualTo(3);
        assertThat(index.counts().subscriptions()).isEqualTo(10);
        RouteQuery.Answer all =
                RouteQuery.Answer.decode(left.query(stored, new RouteQuery(new byte[0], new byte[] {9}, 100).encode()));
        assertThat(all.entries()).hasSize(10);

        CurrentView restarted = new CurrentView();
        new RouteCoprocessor(new TopicIndex(new SharedStrategies(SharedPick.RANDOM)), restarted, new RecordIndex())
                .open(ALL, stored);
        assertThat(restarted.get().revision()).isEqualTo(3);
    }

    @Test
    void recordsLieBehindTheRoutesAndAreToldWhereverTheirKeysGo() {
        put(10);
        byte[] first = record("a", 1);
        byte[] second = record("b", 2);
        RouteCoprocessor left = new RouteCoprocessor(index, members, records);
        RangeBounds routes = new RangeBounds(new byte[0], second);
        left.open(routes, stored);
        assertThat(records.count("ban")).isEqualTo(1);
        left.boundsChanged(routes, ALL, stored);
        assertThat(records.count("ban")).isEqualTo(2);
        assertThat(index.counts().subscriptions()).isEqualTo(10);
        RouteQuery.Answer all =
                RouteQuery.Answer.decode(left.query(stored, new RouteQuery(new byte[0], new byte[] {9}, 100).encode()));
        assertThat(all.entries()).hasSize(10);

        List<String> gone = new ArrayList<>();
        records.listen("ban", new RecordIndex.Listener() {
            @Override
            public void stored(StoredRecord record) {}

            @Override
            public void gone(String name) {
                gone.add(name);
            }
        });
        stored.content().remove(first);
        left.open(ALL, stored); // a snapshot without it
        assertThat(gone).containsExactly("a");
        left.close();
        stored.content().remove(second);
        assertThat(records.count("ban"))
                .as("records of a closed replica stay until another one replaces them")
                .isEqualTo(1);
        new RouteCoprocessor(index, members, records).open(ALL, stored);
        assertThat(gone).containsExactly("a", "b");
    }

    @Test
    void aReplicaBehindASplitTellsNothingOfRecordsThatWereCutOff() {
        byte[] key = record("m", 1);
        RouteCoprocessor behind = new RouteCoprocessor(index, members, records);
        behind.epochIs(4);
        behind.open(ALL, stored);
        CountingReader newer = new CountingReader();
        RouteCoprocessor cutOff = new RouteCoprocessor(index, members, records);
        cutOff.epochIs(5);
        cutOff.open(new RangeBounds(key, null), newer); // the snapshot without it
        assertThat(records.count("ban")).isZero();
        behind.open(ALL, stored); // an older one
        assertThat(records.count("ban")).isZero();
    }

    /** Stores a record as RecordKeys has it. */
    private byte[] record(String name, int revision) {
        byte[] key = ("\u0003ban\0" + name).getBytes(UTF_8);
        stored.content().put(key, new byte[] {1, 0, 0, 0, 0, 0, 0, 0, (byte) revision, 'x'});
        return key;
    }

    private static RangeBounds bounds(String start, @Nullable String end) {
        return new RangeBounds(start.getBytes(UTF_8), end == null ? null : end.getBytes(UTF_8));
    }

    /** Commits a change of a route, or its removal for null. */
    private void apply(RouteCoprocessor range, byte[] key, byte @Nullable [] value) {
        RouteMutation.Change change = value == null
                ? RouteMutation.Change.remove(key, RouteNumber.NONE)
                : RouteMutation.Change.put(key, value);
        byte[] mutation = RouteMutation.encode(List.of(change));
        range.apply(new UnreadWrites(), List.of(mutation), Runnable::run);
    }

    private boolean has(int number) {
        return index.tenant(TenantId.DEFAULT).has(filter(number), RECEIVER);
    }

    /** Writes that the test does not read. */
    private final class UnreadWrites implements RangeWrites {
        @Override
        public void put(byte[] key, byte[] value) {}

        @Override
        public void delete(byte[] key) {}

        @Override
        public void deleteRange(byte[] start, byte[] end) {}

        @Override
        public byte @Nullable [] get(byte[] key) {
            return stored.get(key);
        }

        @Override
        public RangeCursor cursor(byte @Nullable [] start, byte @Nullable [] end) {
            return stored.cursor(start, end);
        }
    }

    private void put(int routes) {
        for (int i = 0; i < routes; i++) {
            stored.content().put(key(i), RouteKeys.value(OPTIONS));
        }
    }

    private static byte[] key(int number) {
        return RouteKeys.key(filter(number), RECEIVER);
    }

    private static TopicFilter filter(int number) {
        return new TopicFilter(null, String.format("t/%04d", number));
    }
}
