package io.godwit.dist.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TenantIndexTest {
    private static final ClientId PUBLISHER = new ClientId("publisher");
    private static final SubscriptionOptions QOS0 = new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0);

    private final TenantIndex index = new TenantIndex(TenantId.DEFAULT, new SharedStrategies(SharedPick.RANDOM));

    @Test
    void anAudienceIsTheSameListUntilItChanges() {
        index.add(filter("a/b"), new TestReceiver("0"), QOS0);
        index.add(filter("a/b"), new TestReceiver("1"), QOS0);
        List<Match> first = index.match("a/b", PUBLISHER).live();
        assertThat(index.match("a/b", PUBLISHER).live()).isSameAs(first);

        index.add(filter("other"), new TestReceiver("2"), QOS0);
        assertThat(index.match("a/b", PUBLISHER).live()).isSameAs(first);

        index.add(filter("a/b"), new TestReceiver("2"), QOS0);
        assertThat(index.match("a/b", PUBLISHER).live()).hasSize(3);
    }

    @Test
    void writingTheSameSubscriptionAgainKeepsCachesGood() {
        index.add(filter("a/+"), new TestReceiver("1"), QOS0);
        long version = index.version();

        assertThat(index.add(filter("a/+"), new TestReceiver("1"), QOS0)).isFalse();

        assertThat(index.version()).isEqualTo(version);
    }

    @Test
    void aGroupThatStaysKeepsCachesGood() {
        index.add(filter("$share/g/a"), new TestReceiver("1"), QOS0);
        long version = index.version();
        Matches cached = index.match("a", PUBLISHER);

        index.add(filter("$share/g/a"), new TestReceiver("2"), QOS0);
        index.remove(filter("$share/g/a"), new TestReceiver("1"));

        assertThat(index.version()).isEqualTo(version);
        assertThat(cached.groups().get(0).pick(PUBLISHER, "a", null).match())
                .extracting(Match::receiver)
                .isEqualTo(new TestReceiver("2"));
        index.remove(filter("$share/g/a"), new TestReceiver("2"));
        assertThat(index.version()).isGreaterThan(version);
        assertThat(cached.groups().get(0).pick(PUBLISHER, "a", null)).isNull();
    }

    @Test
    void anExclusiveFilterIsOneClients() {
        TopicFilter filter = filter("$exclusive/a/+");
        ClientId one = new ClientId("1");
        ClientId two = new ClientId("2");
        assertThat(index.claimExclusive(filter, one)).isTrue();
        assertThat(index.claimExclusive(filter, one))
                .as("a client may claim its own filter again")
                .isTrue();
        assertThat(index.claimExclusive(filter, two)).isFalse();
        assertThat(index.claimExclusive(filter("$exclusive/a/b"), two))
                .as("another client may claim another filter")
                .isTrue();
        index.releaseExclusive(filter("$exclusive/a/b"), two);

        index.add(filter, new TestReceiver("1"), QOS0);
        index.releaseExclusive(filter, one);
        index.releaseExclusive(filter, one);
        assertThat(index.claimExclusive(filter, two))
                .as("the filter is subscribed by the first client")
                .isFalse();

        index.add(filter, new InboxReceiver(TenantId.DEFAULT, one, 7), QOS0);
        index.remove(filter, new TestReceiver("1"));
        assertThat(index.claimExclusive(filter, two))
                .as("another incarnation of the first client's session has the filter")
                .isFalse();
        index.remove(filter, new InboxReceiver(TenantId.DEFAULT, one, 7));
        assertThat(index.claimExclusive(filter, two)).isTrue();
        index.releaseExclusive(filter, two);
        assertThat(index.isEmpty()).isTrue();
    }

    @Test
    void anExclusiveSubscriptionGetsMessagesAndStandsBesideAnother() {
        index.add(filter("$exclusive/a"), new TestReceiver("1"), QOS0);
        assertThat(index.match("a", PUBLISHER).live()).hasSize(1);
        index.add(filter("a"), new TestReceiver("1"), QOS0);
        index.remove(filter("$exclusive/a"), new TestReceiver("1"));
        assertThat(index.match("a", PUBLISHER).live()).hasSize(1);
    }

    @Test
    void aTopicOfManyLevelsNeedsNoDeepStack() {
        String deep = "/".repeat(65_000);
        index.add(filter(deep + "+"), new TestReceiver("1"), QOS0);
        index.add(filter(deep + "#"), new TestReceiver("2"), QOS0);

        assertThat(index.match(deep + "x", PUBLISHER).live()).hasSize(2);

        index.remove(filter(deep + "+"), new TestReceiver("1"));
        index.remove(filter(deep + "#"), new TestReceiver("2"));
        assertThat(index.isEmpty()).isTrue();
    }

    @Test
    void aLargeAudienceIsBuiltUpAndTornDown() {
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            index.add(filter("news/#"), new TestReceiver("c" + i), QOS0);
            index.add(filter("$share/g/news"), new TestReceiver("c" + i), QOS0);
        }
        Matches matches = index.match("news", PUBLISHER);
        assertThat(matches.live()).hasSize(count);
        assertThat(matches.groups().get(0).size()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            index.remove(filter("news/#"), new TestReceiver("c" + i));
            index.remove(filter("$share/g/news"), new TestReceiver("c" + i));
        }
        assertThat(index.isEmpty()).isTrue();
    }

    @Test
    @Timeout(60)
    void readersSeeEveryCompletedChangeWhileAWriterWorks() throws Exception {
        int rounds = 20_000;
        List<TopicFilter> steady =
                List.of(filter("t/1"), filter("t/+"), filter("#"), filter("t/1/#"), filter("$share/g/t/1"));
        steady.forEach(f -> index.add(f, new TestReceiver("steady"), QOS0));
        AtomicInteger completed = new AtomicInteger(-1);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int r = 0; r < 2; r++) {
                readers.add(pool.submit(() -> readUntil(done, completed)));
            }
            Future<?> writer = pool.submit(() -> {
                for (int i = 0; i < rounds; i++) {
                    TopicFilter f = steady.get(i % steady.size());
                    index.add(f, new TestReceiver("r" + i), QOS0);
                    index.add(filter("$share/h" + i % 20 + "/t/1"), new TestReceiver("r" + i), QOS0);
                    index.add(filter("round/" + i % 50), new TestReceiver("r" + i), QOS0);
                    completed.set(i);
                    if (i >= 30) {
                        int old = i - 30;
                        index.remove(steady.get(old % steady.size()), new TestReceiver("r" + old));
                        index.remove(filter("$share/h" + old % 20 + "/t/1"), new TestReceiver("r" + old));
                        index.remove(filter("round/" + old % 50), new TestReceiver("r" + old));
                    }
                }
            });
            writer.get();
            done.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        } finally {
            done.set(true);
            pool.shutdownNow();
        }
        assertThat(index.match("t/1", PUBLISHER).live()).hasSize(1 + 24);
    }

    /** The subscription of a round that has completed is there until 30 rounds later. */
    private int readUntil(AtomicBoolean done, AtomicInteger completed) {
        int reads = 0;
        while (!done.get()) {
            int before = completed.get();
            Matches matches = index.match("t/1", PUBLISHER);
            List<Match> round = before < 0
                    ? List.of()
                    : index.match("round/" + before % 50, PUBLISHER).live();
            int after = completed.get();
            assertThat(matches.live()).extracting(Match::receiver).contains((Receiver) new TestReceiver("steady"));
            for (SharedGroup group : matches.groups()) {
                SharedMember picked = group.pick(PUBLISHER, "t/1", null);
                if (group.key().equals("g")) {
                    assertThat(picked).isNotNull();
                }
            }
            if (before >= 0 && after - before < 25) {
                assertThat(round).extracting(Match::receiver).contains(new TestReceiver("r" + before));
            }
            reads++;
        }
        return reads;
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
