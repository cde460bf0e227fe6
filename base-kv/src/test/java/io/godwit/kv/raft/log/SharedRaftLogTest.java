package io.godwit.kv.raft.log;

import static io.godwit.kv.raft.log.LogFixture.configuration;
import static io.godwit.kv.raft.log.LogFixture.dataOf;
import static io.godwit.kv.raft.log.LogFixture.entries;
import static io.godwit.kv.raft.log.LogFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.raft.GodwitRaftServiceFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedRaftLogTest {
    @TempDir
    Path directory;

    private LogFixture node;

    @BeforeEach
    void open() throws IOException {
        node = new LogFixture(directory.resolve("log"));
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void newGroupStartsAtOne() {
        LogStorage storage = node.storage("inbox-1");

        assertThat(storage.getFirstLogIndex()).isEqualTo(1);
        assertThat(storage.getLastLogIndex()).isZero();
        assertThat(storage.getEntry(1)).isNull();
        assertThat(node.log.firstIndex("unheard-of")).isEqualTo(1);
        assertThat(node.log.lastIndex("unheard-of")).isZero();
    }

    @Test
    void entriesOfSeveralGroupsSurviveReopening() throws IOException {
        assertThat(node.storage("dist-0").appendEntries(entries(1, 3, 1))).isEqualTo(3);
        assertThat(node.storage("inbox-0").appendEntries(entries(1, 5, 2))).isEqualTo(5);
        assertThat(node.storage("dist-0").appendEntries(entries(4, 6, 3))).isEqualTo(3);

        node.reopen();

        LogStorage dist = node.storage("dist-0");
        assertThat(dist.getLastLogIndex()).isEqualTo(6);
        assertThat(dataOf(dist.getEntry(4))).isEqualTo("entry 4");
        assertThat(List.of(
                        dist.getEntry(3).getId().getTerm(),
                        dist.getEntry(4).getId().getTerm()))
                .containsExactly(1L, 3L);
        assertThat(node.log.lastIndex("inbox-0")).isEqualTo(5);
    }

    @Test
    void anErasedGroupIsBlankAndIsErasedOnce() throws IOException {
        node.storage("inbox-0").appendEntries(entries(1, 3, 1));
        node.storage("inbox-1").appendEntries(entries(1, 4, 1));
        node.log.writeVote(node.log.group("inbox-0"), new GroupLog.Vote(5, "b"), true);
        node.log.bury("inbox-0", new byte[] {1});
        long before = node.log.stats().writes();
        node.log.erase("inbox-0");
        node.log.erase("inbox-0");
        assertThat(node.log.stats().writes()).isEqualTo(before + 1);

        node.reopen();

        assertThat(node.log.group("inbox-0").isBlank()).isTrue();
        assertThat(node.log.group("inbox-0").vote()).isEqualTo(GroupLog.NO_VOTE);
        assertThat(node.storage("inbox-0").getEntry(1)).isNull();
        assertThat(node.log.tombstone("inbox-0")).containsExactly(1);
        assertThat(node.log.lastIndex("inbox-1")).isEqualTo(4);
        before = node.log.stats().writes();
        node.log.erase("inbox-0");
        assertThat(node.log.stats().writes()).isEqualTo(before);
    }

    /** An operator reads beside a running group: a truncation at that moment is not damage. */
    @Test
    void votersAndEntriesMayBeAskedForWhileTheLogIsTruncated() throws Exception {
        LogStorage storage = new GodwitRaftServiceFactory(node.log, new LogSync(false, false))
                .createLogStorage("inbox-0", new RaftOptions());
        storage.appendEntries(List.of(configuration(1, 1, "a:0"), configuration(2, 1, "b:0")));
        AtomicBoolean isOver = new AtomicBoolean();
        ExecutorService looking = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> looks = looking.submit(() -> {
                boolean isKnown = true;
                while (!isOver.get()) {
                    isKnown &= List.of(List.of("b"), List.of("c")).contains(node.log.votersIn("inbox-0"));
                    storage.getEntry(storage.getLastLogIndex());
                    storage.getEntry(storage.getFirstLogIndex());
                }
                return isKnown;
            });
            for (long last = 3; last < 2_000; last += 2) {
                storage.appendEntries(List.of(configuration(last, 1, "c:0")));
                storage.truncateSuffix(last - 1);
                storage.appendEntries(List.of(configuration(last, 2, "c:0"), configuration(last + 1, 2, "b:0")));
                storage.truncatePrefix(last);
            }
            isOver.set(true);
            assertThat(looks.get(30, TimeUnit.SECONDS))
                    .as("what the last configuration says")
                    .isTrue();
        } finally {
            isOver.set(true);
            looking.shutdownNow();
        }
        assertThat(node.faults).isEmpty();
    }

    @Test
    void votersAreThoseOfTheLastConfigurationAlsoAfterReopening() throws IOException {
        LogStorage storage = node.storage("inbox-0");
        assertThat(node.log.votersIn("inbox-0")).isEmpty();
        storage.appendEntries(List.of(configuration(1, 1, "a:0"), entry(2, 1, "x"), configuration(3, 1, "b:0")));
        assertThat(node.log.votersIn("inbox-0")).containsExactly("b");
        storage.truncateSuffix(2);
        assertThat(node.log.votersIn("inbox-0")).containsExactly("a");

        node.reopen();

        assertThat(node.log.votersIn("inbox-0")).containsExactly("a");
        node.storage("inbox-0").truncatePrefix(2);
        assertThat(node.log.votersIn("inbox-0")).isEmpty();
        assertThat(node.log.votersIn("unheard-of")).isEmpty();
    }

    @Test
    void termsAreKnownWithoutReading() {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntries(entries(1, 10, 1));
        storage.appendEntries(entries(11, 20, 4));
        storage.truncatePrefix(5);
        storage.truncateSuffix(15);
        storage.appendEntries(entries(16, 17, 6));

        assertThat(terms(storage, 4, 5, 10, 11, 15, 16, 17, 18)).containsExactly(0L, 1L, 1L, 4L, 4L, 6L, 6L, 0L);
    }

    @SuppressWarnings("deprecation")
    private static List<Long> terms(LogStorage storage, long... indexes) {
        List<Long> terms = new ArrayList<>();
        for (long index : indexes) {
            terms.add(storage.getTerm(index));
        }
        return terms;
    }

    @Test
    void truncatedEndsStayTruncated() throws IOException {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntries(entries(1, 20, 1));
        storage.truncatePrefix(8);
        storage.truncateSuffix(12);
        node.storage("other").appendEntries(entries(1, 2, 1));

        node.reopen();

        storage = node.storage("inbox-0");
        assertThat(storage.getFirstLogIndex()).isEqualTo(8);
        assertThat(storage.getLastLogIndex()).isEqualTo(12);
        assertThat(storage.getEntry(7)).isNull();
        assertThat(storage.getEntry(13)).isNull();
        assertThat(dataOf(storage.getEntry(8))).isEqualTo("entry 8");
        assertThat(storage.appendEntry(entry(13, 2, "again"))).isTrue();
        assertThat(dataOf(storage.getEntry(13))).isEqualTo("again");
    }

    @Test
    void truncatingBeyondTheEndEmptiesTheLog() throws IOException {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntries(entries(1, 3, 1));
        storage.truncatePrefix(101);

        node.reopen();

        storage = node.storage("inbox-0");
        assertThat(storage.getFirstLogIndex()).isEqualTo(101);
        assertThat(storage.getLastLogIndex()).isEqualTo(100);
        assertThat(storage.appendEntries(entries(101, 102, 2))).isEqualTo(2);
    }

    @Test
    void resetForgetsAllAndGoesOnAtTheGivenIndex() throws IOException {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntries(entries(1, 50, 1));
        assertThat(storage.reset(30)).isTrue();

        node.reopen();

        storage = node.storage("inbox-0");
        assertThat(storage.getFirstLogIndex()).isEqualTo(30);
        assertThat(storage.getLastLogIndex()).isEqualTo(29);
        assertThat(storage.getEntry(40)).isNull();
        assertThat(storage.appendEntry(entry(30, 2, "after"))).isTrue();
    }

    @Test
    void entryThatDoesNotFollowIsRefused() {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntries(entries(1, 3, 1));

        assertThatThrownBy(() -> storage.appendEntry(entry(5, 1, "gap")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("entry 5 does not follow the last entry 3");
    }

    @Test
    void configurationsAreGivenBackAtStart() throws IOException {
        LogStorage storage = node.storage("inbox-0");
        storage.appendEntry(configuration(1, 1, "127.0.0.1:8001"));
        storage.appendEntries(entries(2, 4, 1));
        storage.appendEntry(configuration(5, 1, "127.0.0.1:8002"));

        node.reopen();

        ConfigurationManager configurations = new ConfigurationManager();
        node.storage("inbox-0", configurations);
        assertThat(configurations.getLastConfiguration().getId().getIndex()).isEqualTo(5);
        assertThat(configurations.get(4).getConf().getPeers()).containsExactly(PeerId.parsePeer("127.0.0.1:8001"));
    }

    @Test
    void voteSurvivesReopening() throws IOException {
        RaftMetaStorage meta = node.meta("inbox-0");
        assertThat(meta.getTerm()).isZero();
        assertThat(meta.getVotedFor().isEmpty()).isTrue();
        PeerId candidate = PeerId.parsePeer("127.0.0.1:8001");

        assertThat(meta.setTermAndVotedFor(7, candidate)).isTrue();
        node.reopen();

        meta = node.meta("inbox-0");
        assertThat(meta.getTerm()).isEqualTo(7);
        assertThat(meta.getVotedFor()).isEqualTo(candidate);
        assertThat(meta.setTerm(8)).isTrue();
        assertThat(meta.setVotedFor(PeerId.emptyPeer())).isTrue();
        node.reopen();
        assertThat(node.meta("inbox-0").getTerm()).isEqualTo(8);
        assertThat(node.meta("inbox-0").getVotedFor().isEmpty()).isTrue();
    }

    @Test
    void registerOfGroupsSurvivesReopening() throws IOException {
        node.log.putDescriptors(Map.of("inbox-1", new byte[] {1}, "inbox-0", new byte[] {0}));
        node.log.putDescriptor("inbox-1", new byte[] {9, 9});
        node.log.putNodeRecord("bootstrapped", new byte[] {1});
        node.storage("inbox-0").appendEntries(entries(1, 2, 1));
        node.storage("inbox-1").appendEntries(entries(1, 3, 1));

        node.reopen();

        assertThat(node.log.descriptors()).extracting(Map.Entry::getKey).containsExactly("inbox-0", "inbox-1");
        assertThat(node.log.descriptors().get(1).getValue()).containsExactly(9, 9);
        assertThat(node.log.nodeRecord("bootstrapped")).containsExactly(1);
        assertThat(node.log.nodeRecord("unknown")).isNull();
        assertThat(node.log.lastIndex("inbox-1")).isEqualTo(3);
    }

    @Test
    void anUnusedGroupIsDeregisteredForGoodAndBeginsInTheTermThatItKnows() throws IOException {
        node.log.putDescriptor("inbox-0", new byte[] {1});
        node.meta("inbox-0").setTermAndVotedFor(7, PeerId.emptyPeer());
        assertThat(node.log.isUnused("inbox-0")).isTrue();
        node.log.deregister("inbox-0");
        node.reopen();
        assertThat(node.log.descriptors()).isEmpty();
        assertThat(node.log.tombstone("inbox-0")).isNull();

        node.log.begin("inbox-0", 2, 1);
        node.log.begin("inbox-0", 2, 1); // after a crash
        node.reopen();
        assertThat(node.meta("inbox-0").getTerm()).isEqualTo(7);
        assertThat(node.log.lastIndex("inbox-0")).isEqualTo(1);
        assertThat(node.log.isUnused("inbox-0")).as("it has a snapshot").isFalse();
    }

    @Test
    void aGroupWithEntriesOrAVoteStaysRegisteredAndDoesNotBeginAgain() {
        node.storage("inbox-0").appendEntries(entries(1, 1, 1));
        node.meta("inbox-1").setTermAndVotedFor(7, PeerId.parsePeer("127.0.0.1:8001"));
        for (String group : List.of("inbox-0", "inbox-1")) {
            node.log.putDescriptor(group, new byte[] {1});
            assertThat(node.log.isUnused(group)).isFalse();
            assertThatThrownBy(() -> node.log.deregister(group)).hasMessageContaining("has entries or a vote");
            assertThatThrownBy(() -> node.log.begin(group, 2, 1)).hasMessageContaining("has entries or a vote");
        }
        assertThat(node.log.descriptors()).hasSize(2);
        assertThat(node.log.lastIndex("inbox-0")).isEqualTo(1);
        assertThat(node.meta("inbox-1").getVotedFor()).isEqualTo(PeerId.parsePeer("127.0.0.1:8001"));
    }

    @Test
    void groupsThatAppendTogetherShareFsyncs() throws Exception {
        int groups = 8;
        int appends = 200;
        LogStats before = node.log.stats();
        ExecutorService threads = Executors.newFixedThreadPool(groups);
        CyclicBarrier start = new CyclicBarrier(groups);
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < groups; i++) {
            LogStorage storage = node.storage("group-" + i);
            done.add(threads.submit(() -> {
                start.await();
                for (int index = 1; index <= appends; index++) {
                    storage.appendEntry(entry(index, 1, "entry " + index));
                }
                return null;
            }));
        }
        for (Future<?> thread : done) {
            thread.get();
        }
        threads.shutdown();

        LogStats after = node.log.stats();
        long writes = after.writes() - before.writes();
        long syncs = after.syncs() - before.syncs();
        assertThat(writes).isGreaterThanOrEqualTo((long) groups * appends);
        assertThat(syncs).isPositive().isLessThan(writes * 3 / 4);
        node.reopen();
        assertThat(node.log.lastIndex("group-0")).isEqualTo(appends);
        assertThat(node.log.lastIndex("group-7")).isEqualTo(appends);
    }

    @Test
    void missingLogIsRefused() throws IOException {
        node.storage("inbox-0").appendEntries(entries(1, 3, 1));
        node.close();
        try (var files = Files.newDirectoryStream(node.directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }

        assertThatThrownBy(() -> SharedRaftLog.open(node.directory, (what, cause) -> {}))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining("CURRENT");
        Files.delete(node.directory);
        assertThatThrownBy(() -> SharedRaftLog.open(node.directory, (what, cause) -> {}))
                .isInstanceOf(DamagedDataException.class);
    }

    @Test
    void closedLogRefusesWrites() {
        LogStorage storage = node.storage("inbox-0");
        node.close();

        assertThat(storage.appendEntries(entries(1, 1, 1))).isZero();
        assertThat(node.faults).isEmpty();
    }
}
