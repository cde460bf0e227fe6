package io.godwit.it.powerloss;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.powerloss.PowerCut.Loss;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.KvStore;
import io.godwit.kv.backup.RangeBackups.RangeCopy;
import io.godwit.kv.backup.Restore;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever has been told that a backup is restored may lose the power then, and has what was restored. */
@Timeout(120)
class RestorePowerLossTest {
    private static final int KEYS = 200;

    @TempDir
    Path work;

    @BeforeAll
    static void needsLinuxAndACompiler() throws InterruptedException {
        PowerLoss.assumePossible();
    }

    /** The process that restores, and ends. */
    static final class Restorer {
        private Restorer() {}

        public static void main(String[] args) throws IOException {
            RangeBounds all = new RangeBounds(new byte[0], null);
            Restore.into(Path.of(args[0]), List.of(new Restore.Part("test", 1, all, Path.of(args[1]))));
        }
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void whatIsRestoredSurvives(Loss loss) throws Exception {
        Path backup = backup();
        Path root = work.resolve("root");
        PowerLoss power = PowerLoss.over(root);
        Path restored = root.toRealPath().resolve("restored");

        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Restorer.class.getName(),
                        restored.toString(),
                        backup.toString())
                .redirectErrorStream(true)
                .redirectOutput(work.resolve("output").toFile());
        builder.environment().putAll(power.environment());
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(work.resolve("output")))
                .isZero();
        power.cut(loss, new Random(7));

        try (KvNode node = KvNode.open(KvNodeConfig.standalone(restored))) {
            KvStore store = open(node);
            for (int i = 0; i < KEYS; i++) {
                byte[] value = store.client().query(key(i), key(i), deadline()).get(20, TimeUnit.SECONDS);
                assertThat(new String(value, UTF_8)).isEqualTo("x".repeat(1_000));
            }
        }
    }

    private Path backup() throws Exception {
        Path kept = Files.createDirectories(work.resolve("backup"));
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(work.resolve("data")))) {
            KvStore store = open(node);
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                byte[] mutation = (new String(key(i), UTF_8) + "=" + "x".repeat(1_000)).getBytes(UTF_8);
                answers.add(store.client().mutate(key(i), mutation, deadline()));
            }
            for (CompletableFuture<byte[]> answer : answers) {
                answer.get(20, TimeUnit.SECONDS);
            }
            try (RangeCopy copy = node.backups().copy("test", 1);
                    Stream<Path> files = Files.list(copy.directory())) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    Files.copy(file, kept.resolve(file.getFileName()));
                }
            }
        }
        return kept;
    }

    private static KvStore open(KvNode node) throws Exception {
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of()));
        node.ready().get(60, TimeUnit.SECONDS);
        return store;
    }

    private static byte[] key(int number) {
        return String.format("%06d", number).getBytes(UTF_8);
    }

    private static Deadline deadline() {
        return Deadline.afterMillis(30_000);
    }
}
