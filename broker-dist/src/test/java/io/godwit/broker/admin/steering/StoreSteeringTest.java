package io.godwit.broker.admin.steering;

import static io.godwit.broker.admin.FakeNode.A;
import static io.godwit.broker.admin.FakeNode.B;
import static io.godwit.broker.admin.FakeNode.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.SettingsAdmin.NodeSettings;
import io.godwit.api.port.cluster.SettingsAdmin.Source;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.api.port.cluster.StoreAdmin.BalancerAction;
import io.godwit.api.port.cluster.StoreAdmin.BalancerChange;
import io.godwit.api.port.cluster.StoreAdmin.BalancerView;
import io.godwit.api.port.cluster.StoreAdmin.RangeName;
import io.godwit.broker.admin.Admin;
import io.godwit.broker.admin.AdminFixture;
import io.godwit.broker.admin.backup.BackupFiles;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API's requests over RPC to a node in memory, which reaches a second one. */
class StoreSteeringTest {
    private static final Duration WITHIN = Duration.ofSeconds(10);

    @TempDir
    private Path data;

    private AdminFixture fixture;
    private OperatorCalls calls;
    private StoreSteering steering;

    @BeforeEach
    void serve() throws Exception {
        fixture = new AdminFixture(data);
        calls = OperatorCalls.to(data.resolve(Admin.ACCESS_FILE));
        steering = new StoreSteering(calls);
    }

    @AfterEach
    void stop() {
        steering.close();
        calls.close();
        fixture.close();
    }

    private static RangeName range(long id, long... epoch) {
        return new RangeName("inbox", id, epoch.length == 0 ? OptionalLong.empty() : OptionalLong.of(epoch[0]));
    }

    private static <T> T get(CompletableFuture<T> asked) throws Exception {
        return asked.get(30, TimeUnit.SECONDS);
    }

    private static void refused(CompletableFuture<?> asked, OperationException.Kind kind) {
        assertThatThrownBy(() -> asked.orTimeout(30, TimeUnit.SECONDS).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .asInstanceOf(InstanceOfAssertFactories.type(OperationException.class))
                .extracting(OperationException::kind)
                .isEqualTo(kind);
    }

    @Test
    void aRangeIsCutJoinedAndLedByTheEpochThatIsGiven() throws Exception {
        refused(steering.split(range(1, 3), Optional.of("2f"), WITHIN), OperationException.Kind.STALE);
        refused(steering.split(range(1), Optional.of("90"), WITHIN), OperationException.Kind.REFUSED);
        refused(steering.split(range(1), Optional.of("x"), WITHIN), OperationException.Kind.INVALID);
        refused(steering.split(range(9), Optional.empty(), WITHIN), OperationException.Kind.UNKNOWN);
        assertThat(get(steering.split(range(1, 4), Optional.of("2f"), WITHIN)).detail())
                .isEqualTo("range 1 of inbox is cut in two");
        assertThat(fixture.node.inbox.tiling()).containsExactly("1 -2f", "2 80-", "70 2f-80");

        refused(steering.merge(range(1, 5), OptionalLong.of(4), WITHIN), OperationException.Kind.REFUSED);
        get(steering.merge(range(1, 5), OptionalLong.of(5), WITHIN));
        assertThat(fixture.node.inbox.tiling()).containsExactly("1 -80", "2 80-");
        refused(steering.merge(range(2), OptionalLong.empty(), WITHIN), OperationException.Kind.REFUSED);

        refused(steering.transfer(range(1), C, WITHIN), OperationException.Kind.REFUSED);
        refused(steering.transfer(range(1), "aaaa", WITHIN), OperationException.Kind.UNKNOWN);
        get(steering.transfer(range(1), A, WITHIN));
        assertThat(fixture.node.inbox.find(1).leader()).isEqualTo(A);
    }

    /** A node that hangs blocks requests that query all nodes. */
    @Test
    void whoOnlyAsksHoldsUpNoChange() throws Exception {
        CompletableFuture<String> hangs = new CompletableFuture<>();
        List<CompletableFuture<String>> asked = IntStream.range(0, OperatorCalls.THREADS)
                .mapToObj(i -> calls.ask(WITHIN, limited -> hangs.join()))
                .toList();
        get(steering.split(range(1), Optional.of("2f"), WITHIN));
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        hangs.complete("answers");
        for (CompletableFuture<String> one : asked) {
            assertThat(get(one)).isEqualTo("answers");
        }
    }

    @Test
    void aMoveOutlivesItsRequestAndIsJoined() throws Exception {
        refused(steering.move(range(1), B, A, false, WITHIN), OperationException.Kind.REFUSED);
        refused(steering.move(range(1, 3), B, C, false, WITHIN), OperationException.Kind.STALE);
        fixture.node.promotionsRefused.set(Integer.MAX_VALUE); // retried until then
        assertThat(get(steering.move(range(1), B, C, false, Duration.ofSeconds(2)))
                        .isDone())
                .isFalse();
        refused(steering.move(range(1), A, C, false, WITHIN), OperationException.Kind.REFUSED);
        fixture.node.promotionsRefused.set(0);
        assertThat(get(steering.move(range(1), B, C, false, Duration.ofSeconds(60)))
                        .isDone())
                .isTrue();
        assertThat(fixture.node.inbox.find(1).voters()).containsExactly(A, C);
        assertThat(fixture.node.inbox.find(1).leader()).isEqualTo(C);
        assertThat(fixture.node.inbox.pausedWhenAsked).doesNotContain(0L); // its balancers rested
        assertThat(get(steering.balancers(List.of("inbox"), WITHIN)).value()).noneMatch(BalancerView::paused);
    }

    private ClusterAnswer<List<BalancerView>> change(BalancerAction action, int seconds) throws Exception {
        return get(steering.change(
                new BalancerChange("inbox", "split", action, Optional.empty(), seconds, Map.of()), WITHIN));
    }

    @Test
    void aPauseWithALimitEndsByItself() throws Exception {
        assertThat(change(BalancerAction.PAUSE, 1).value())
                .filteredOn(each -> each.name().equals("split"))
                .hasSize(2)
                .allMatch(each -> each.paused() && !each.resting() && each.pausedSeconds() == 1);
        Await.until(
                "the end of the pause",
                () -> get(steering.balancers(List.of(), WITHIN)).value().stream()
                        .noneMatch(BalancerView::paused));
        change(BalancerAction.PAUSE, 0);
        assertThat(change(BalancerAction.PAUSE, 1).value()).anyMatch(BalancerView::paused);
        Await.until(
                "the end of the limit",
                () -> get(steering.balancers(List.of(), WITHIN)).value().stream()
                        .noneMatch(each -> each.pausedSeconds() > 0));
        assertThat(get(steering.balancers(List.of(), WITHIN)).value()).anyMatch(BalancerView::paused);
        assertThat(change(BalancerAction.RESUME, 0).value()).noneMatch(BalancerView::paused);
        refused(
                steering.change(
                        new BalancerChange("inbox", "no", BalancerAction.PAUSE, Optional.empty(), 0, Map.of()), WITHIN),
                OperationException.Kind.REFUSED);
    }

    @Test
    void redundancyIsLoweredOnlyWhereThatIsMeant() throws Exception {
        refused(steering.wantVoters("inbox", 1, false, WITHIN), OperationException.Kind.REFUSED);
        get(steering.wantVoters("inbox", 1, true, WITHIN));
        assertThat(get(steering.replicas(WITHIN))).containsExactly(new StoreAdmin.ReplicasView("inbox", 1, 2, 0));

        fixture.node.reduction = "2 ranges would keep 1 voter";
        refused(steering.drain(B, true, false, WITHIN), OperationException.Kind.REFUSED);
        fixture.node.oldReports = 2;
        assertThat(get(steering.drain(B, true, true, WITHIN)).draining()).isTrue();
        assertThat(get(steering.drainState(B, WITHIN)).safeToStop()).isTrue();
        assertThat(get(steering.drain(B, false, false, WITHIN)).draining()).isFalse();

        refused(steering.forget(B, WITHIN), OperationException.Kind.REFUSED);
        refused(steering.forget("cccc", WITHIN), OperationException.Kind.UNKNOWN);
        get(steering.forget(C, WITHIN));
        assertThat(fixture.node.isCForgotten).isTrue();
    }

    @Test
    void aBackupIsAnArchiveThatRestoreReads() throws Exception {
        Path file = data.resolve("backup.tar");
        try (StoreAdmin.Backup backup = get(steering.backup("inbox", WITHIN));
                OutputStream out = Files.newOutputStream(file)) {
            backup.writeTo(out);
        }
        Path unpacked = Files.createDirectory(data.resolve("unpacked"));
        BackupFiles.unpack(file, unpacked);
        assertThat(BackupFiles.verify(unpacked).ranges()).hasSize(2);
        refused(steering.backup("nothing", WITHIN), OperationException.Kind.UNKNOWN);
    }

    /** When unpacked, it equals what {@code backup all} writes. */
    @Test
    void aBackupOfAllStoresIsOfOneMoment() throws Exception {
        refused(steering.backup("all", WITHIN), OperationException.Kind.REFUSED);
        fixture.node.inbox.ranges.replaceAll(range ->
                range.with(range.id(), range.epoch(), range.start(), range.end(), range.voters(), range.learners(), A));
        Path file = data.resolve("all.tar");
        try (StoreAdmin.Backup backup = get(steering.backup("all", WITHIN));
                OutputStream out = Files.newOutputStream(file)) {
            backup.writeTo(out);
        }
        assertThat(fixture.node.moments).isEqualTo(1);
        Path unpacked = Files.createDirectory(data.resolve("all"));
        Process tar = new ProcessBuilder("tar", "-xf", file.toString(), "-C", unpacked.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tar.waitFor()).as(said).isZero();
        for (String store : fixture.node.stores()) {
            assertThat(BackupFiles.verify(unpacked.resolve(store)).store()).isEqualTo(store);
        }
        assertThat(fixture.run(
                        "restore",
                        unpacked.toString(),
                        "--into",
                        data.resolve("restored").toString()))
                .as(fixture.err)
                .isZero();
        assertThat(fixture.out).doesNotContain("different moments");
    }

    @Test
    void aBackupThatFailsHasNoManifestAndLeavesItsPlace() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 3; i++) { // more than at a time
            try (StoreAdmin.Backup backup = get(steering.backup("inbox", WITHIN))) {
                assertThatThrownBy(() -> backup.writeTo(new OutputStream() {
                            @Override
                            public void write(int value) throws IOException {
                                write(new byte[] {(byte) value}, 0, 1);
                            }

                            @Override
                            public void write(byte[] bytes, int offset, int length) throws IOException {
                                if (out.size() > 600_000) {
                                    throw new IOException("the receiver has gone");
                                }
                                out.write(bytes, offset, length);
                            }
                        }))
                        .isInstanceOf(IOException.class);
            }
        }
        Path half = Files.write(data.resolve("half.tar"), out.toByteArray());
        assertThatThrownBy(() -> BackupFiles.unpack(half, Files.createDirectory(data.resolve("half"))))
                .isInstanceOf(IOException.class);

        StoreAdmin.Backup first = get(steering.backup("inbox", WITHIN));
        StoreAdmin.Backup second = get(steering.backup("inbox", WITHIN));
        refused(steering.backup("inbox", WITHIN), OperationException.Kind.BUSY);
        first.close();
        first.close();
        get(steering.backup("inbox", WITHIN)).close();
        second.close();
    }

    /** Wherever it waits. */
    @Test
    void aBackupIsEndedFromOutside() throws Exception {
        StoreAdmin.Backup backup = get(steering.backup("inbox", WITHIN));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        CompletableFuture<String> ended = CompletableFuture.supplyAsync(() -> {
            try {
                backup.writeTo(new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                        write(new byte[] {(byte) value}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        begun.countDown();
                        try {
                            assertThat(goesOn.await(30, TimeUnit.SECONDS)).isTrue();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                });
                return "whole";
            } catch (IOException e) {
                return "not whole";
            }
        });
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        backup.close();
        goesOn.countDown();
        assertThat(get(ended)).isEqualTo("not whole");
    }

    @Test
    void nodesTellOfTheirConfigurationsAndPlugins() throws Exception {
        SettingsSteering settings = new SettingsSteering(calls);
        ClusterAnswer<List<NodeSettings>> told = get(settings.configuration(WITHIN));
        assertThat(told.missingNodes()).isEmpty();
        assertThat(told.value()).extracting(NodeSettings::node).containsExactly(A, B);
        assertThat(told.value().get(1).settings().get(0).value()).isEqualTo("false");
        assertThat(told.value().get(1).settings().get(0).source()).isEqualTo(Source.FILE);
        assertThat(get(settings.plugins(WITHIN)).value())
                .hasSize(2)
                .allMatch(each -> each.uses().get(0).kind().equals("auth-provider"));
    }

    /** The node hangs. Without a bound the API's request would end before the answer. */
    @Test
    void aNodeThatDoesNotAnswerIsNamedInTime() {
        CountDownLatch goesOn = new CountDownLatch(1);
        fixture.other.whenAsked = () -> await(goesOn);
        Duration within = Duration.ofSeconds(4);
        assertThat(new SettingsSteering(calls).plugins(within))
                .succeedsWithin(within.plusSeconds(2))
                .satisfies(answer -> {
                    assertThat(answer.value()).hasSize(1);
                    assertThat(answer.missingNodes()).containsExactly(B);
                });
        goesOn.countDown();
    }

    /** Nodes that are queried later must still have time left. */
    @Test
    void oneOfSeveralNodesTakesItsPartOfTheTime() {
        AdminClient all = calls.client().within(Duration.ofSeconds(9));
        assertThat(all.share(3).timeout()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
        assertThat(all.share(3).share(2).timeout()).isLessThanOrEqualTo(Duration.ofMillis(1_500));
        assertThat(calls.client().share(3)).isSameAs(calls.client());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the node is closed
        }
    }
}
