package io.godwit.dist.member.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.ViewRecord.Outcome;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.testing.CountingReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The compare-and-set of the view of members, as a replica applies it. */
class ViewRecordTest {
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);
    private static final NodeLife A = new NodeLife("a", 1);

    private final CountingReader stored = new CountingReader();
    private final CurrentView told = new CurrentView();
    private final List<Runnable> afterCommit = new ArrayList<>();

    private final RangeWrites writes = new RangeWrites() {
        @Override
        public void put(byte[] key, byte[] value) {
            stored.content().put(key, value);
        }

        @Override
        public void delete(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return stored.get(key);
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            return stored.cursor(start, end);
        }
    };

    @Test
    void onlyTheNextRevisionReplacesTheOneThatIsThere() {
        MembersView first = view(1, MemberState.JOINING);
        MembersView second = view(2, MemberState.SERVING);
        assertThat(apply(ALL, second)).isEqualTo(new ViewRecord.Reply(Outcome.OTHER_REVISION, MembersView.NONE));
        assertThat(apply(ALL, first)).isEqualTo(new ViewRecord.Reply(Outcome.APPLIED, first));
        assertThat(apply(ALL, view(1, MemberState.LAPSED)))
                .isEqualTo(new ViewRecord.Reply(Outcome.OTHER_REVISION, first));
        assertThat(apply(ALL, second)).isEqualTo(new ViewRecord.Reply(Outcome.APPLIED, second));
        assertThat(told.get()).as("nothing is reported before the commit").isEqualTo(MembersView.NONE);
        afterCommit.forEach(Runnable::run);
        assertThat(told.get()).isEqualTo(second);
        afterCommit.get(0).run();
        assertThat(told.get()).as("an older view is not reported again").isEqualTo(second);
    }

    @Test
    void aRangeWithoutTheKeyWritesNothing() {
        RangeBounds routes = new RangeBounds(new byte[0], ViewRecord.key());
        assertThat(apply(routes, view(1, MemberState.JOINING)).outcome()).isEqualTo(Outcome.ELSEWHERE);
        assertThat(stored.content()).isEmpty();
    }

    @Test
    void whatIsNotOfTheLayoutIsRefusedAndStopsNothing() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] mutation = new byte[random.nextInt(60)];
            random.nextBytes(mutation);
            Outcome outcome = ViewRecord.decodeReply(ViewRecord.apply(ALL, writes, mutation, afterCommit::add, told))
                    .outcome();
            assertThat(outcome).isEqualTo(Outcome.REFUSED);
        }
        assertThat(stored.content()).isEmpty();
    }

    /**
     * A newer version may write such a view: the store accepts it, and this node knows that its own view is outdated.
     */
    @Test
    void aViewThatThisNodeDoesNotReadOutdatesTheOneThatItHas() {
        apply(ALL, view(1, MemberState.SERVING));
        byte[] newer = ByteBuffer.allocate(30).put((byte) 9).putLong(2).array();
        byte[] mutation = ByteBuffer.allocate(9 + newer.length)
                .put(ViewRecord.VERSION)
                .putLong(1)
                .put(newer)
                .array();
        ViewRecord.apply(ALL, writes, mutation, afterCommit::add, told);
        afterCommit.forEach(Runnable::run);
        assertThat(told.get().revision()).isEqualTo(1);
        assertThat(told.isOutdated()).isTrue();
        told.offer(view(3, MemberState.SERVING));
        assertThat(told.isOutdated()).isFalse();
    }

    private ViewRecord.Reply apply(RangeBounds bounds, MembersView next) {
        return ViewRecord.decodeReply(
                ViewRecord.apply(bounds, writes, ViewRecord.mutation(next), afterCommit::add, told));
    }

    private static MembersView view(long revision, MemberState state) {
        return new MembersView(revision, List.of(new AgreedMember(A, state, revision)));
    }
}
