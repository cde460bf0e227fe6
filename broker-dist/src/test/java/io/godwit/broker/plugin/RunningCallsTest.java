package io.godwit.broker.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.plugin.PluginStage.Connects;
import io.godwit.broker.plugin.RunningCalls.Suspect;
import io.godwit.broker.plugin.guard.GuardedAuth;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.event.PluginFault;
import io.godwit.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file after a process was killed, and what the next process concludes from it. */
@Timeout(120)
class RunningCallsTest {
    private static final List<Suspect> ACME = List.of(new Suspect("auth-provider", "acme", false));

    @TempDir
    Path directory;

    private final CountDownLatch release = new CountDownLatch(1);

    private Path file(String node) {
        return directory.resolve(node).resolve("data/plugins/" + RunningCalls.FILE);
    }

    /** Copies one node's files as they are now for another node. */
    private void cutShort(String from, String to) throws Exception {
        Files.createDirectories(file(to).getParent());
        Files.copy(file(from), file(to));
    }

    private PluginStage stage(String node) throws Exception {
        return new PluginStage(Files.createDirectories(directory.resolve(node)), Map.of());
    }

    private CompletableFuture<ConnectResult> stay(CountDownLatch entered) {
        entered.countDown();
        for (boolean isReleased = false; !isReleased; ) {
            try {
                release.await();
                isReleased = true;
            } catch (InterruptedException e) {
                // as a call that is seen to block is; this one stays
            }
        }
        return CompletableFuture.completedFuture(PluginStage.ACCEPTED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoIsCalledWhileTheProcessIsCutShortIsNamedByTheNext(boolean isNonBlocking) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        try (PluginStage first = stage("first")) {
            GuardedAuth auth = first.auth((Connects) request -> stay(entered), isNonBlocking);
            assertThat(RunningCalls.before(file("first"))).isEmpty();
            Thread caller = new Thread(() -> auth.connect(PluginStage.CONNECT));
            caller.start();
            assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
            cutShort("first", "second");
            assertThat(RunningCalls.before(file("second"))).isEqualTo(ACME);
            release.countDown();
            caller.join();
            Await.until("over", () -> RunningCalls.before(file("first")).isEmpty());
        }
        assertThat(file("first")).doesNotExist();
        try (PluginStage second = stage("second")) {
            second.auth((Connects) request -> stay(entered), isNonBlocking);
            assertThat(second.hasTold(PluginFault.SUSPECTED)).isTrue();
            assertThat(second.counted("suspected")).isEqualTo(1);
            Await.until("warned", () -> second.warnings.toString().contains("acme (auth-provider) is suspected"));
            assertThat(RunningCalls.before(file("second")))
                    .as("the suspicion is reported only once")
                    .isEmpty();
        }
    }

    @Test
    void oneThatIsNotCalledIsNotSuspected() throws Exception {
        try (PluginStage first = stage("first")) {
            GuardedAuth auth =
                    first.auth((Connects) request -> CompletableFuture.completedFuture(PluginStage.ACCEPTED), true);
            auth.connect(PluginStage.CONNECT).get(60, TimeUnit.SECONDS);
            cutShort("first", "second");
        }
        try (PluginStage second = stage("second")) {
            second.oldAuth((Connects) request -> CompletableFuture.completedFuture(PluginStage.ACCEPTED));
            assertThat(second.events).isEmpty();
        }
    }

    /** Whatever the file contains, the start continues. */
    @Test
    void aFileThatCannotBeUnderstoodNamesNobody() throws Exception {
        try (PluginStage first = stage("first")) {
            CountDownLatch entered = new CountDownLatch(1);
            GuardedAuth auth = first.oldAuth((Connects) request -> stay(entered));
            CompletableFuture<ConnectResult> answer = auth.connect(PluginStage.CONNECT);
            assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
            cutShort("first", "second");
            release.countDown();
            assertThat(answer).isNotNull();
        }
        byte[] whole = Files.readAllBytes(file("second"));
        assertThat(RunningCalls.before(file("second"))).isEqualTo(ACME);
        for (int length : new int[] {0, 1, 8, 255, 300, whole.length - 1}) {
            Files.write(file("second"), Arrays.copyOf(whole, length));
            assertThat(RunningCalls.before(file("second"))).isEmpty();
        }
        Random random = new Random(17);
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = whole.clone();
            for (int n = 0; n <= i % 5; n++) {
                damaged[random.nextInt(512)] = (byte) random.nextInt();
            }
            Files.write(file("second"), damaged);
            assertThat(RunningCalls.before(file("second"))).hasSizeLessThan(128);
        }
        try (PluginStage second = stage("second")) {
            second.oldAuth((Connects) request -> CompletableFuture.completedFuture(PluginStage.ACCEPTED));
            assertThat(second.state().name()).isEqualTo("acme");
        }
    }

    /** More plugins than there are records, and names longer than a record. */
    @Test
    void whatDoesNotFitIsLeftOut() throws Exception {
        try (PluginStage stage = stage("first")) {
            for (int i = 0; i < 130; i++) {
                stage.host()
                        .adopt(
                                AuthProviderFactory.class,
                                "auth-provider",
                                "x".repeat(400) + i,
                                PluginStage.old("x".repeat(400) + i),
                                stage.home());
            }
            GuardedAuth last =
                    stage.oldAuth((Connects) request -> CompletableFuture.completedFuture(PluginStage.ACCEPTED));
            assertThat(last.connect(PluginStage.CONNECT).get(60, TimeUnit.SECONDS))
                    .isSameAs(PluginStage.ACCEPTED);
            assertThat(file("first")).exists();
            assertThat(RunningCalls.before(file("first"))).isEmpty();
        }
    }
}
