package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.raft.DamagedDataException;
import io.godwit.kv.range.RangeSettings;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One byte flipped in the middle of each kind of file of a range: the start is refused, or reads fail; what is read is never wrong. */
@Timeout(180)
class DamagedFilesTest {
    private static final int KEYS = 400;

    @TempDir
    Path directory;

    @Test
    void aFlippedByteIsNeverReadAsData() throws Exception {
        Path intact = directory.resolve("intact");
        try (KvNode node = open(intact)) {
            KvStore store = node.open(spec());
            for (int round = 0; round < 4; round++) {
                List<CompletableFuture<byte[]>> answers = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    byte[] mutation = (key(i) + "=" + "x".repeat(250)).getBytes(UTF_8);
                    answers.add(store.client().mutate(key(i).getBytes(UTF_8), mutation, Deadline.afterMillis(30_000)));
                }
                answers.forEach(CompletableFuture::join);
            }
        }
        Map<String, Path> kinds = kinds(intact);
        assertThat(kinds).containsKeys("db .sst", "db MANIFEST", "db CURRENT", "snapshot __raft_snapshot_meta");

        Map<String, String> outcomes = new TreeMap<>();
        for (Map.Entry<String, Path> kind : kinds.entrySet()) {
            Path copy = directory.resolve("copy" + outcomes.size());
            copy(intact, copy);
            flip(copy.resolve(intact.relativize(kind.getValue())));
            outcomes.put(kind.getKey(), outcome(copy));
        }
        assertThat(outcomes).containsEntry("db .sst", "detected").containsEntry("db CURRENT", "refused");
        assertThat(outcomes.values()).doesNotContain("wrong data");
    }

    private static String outcome(Path data) throws Exception {
        try (KvNode node = open(data)) {
            CompletableFuture<Void> failed = new CompletableFuture<>();
            node.onHealthChange(health -> {
                if (health.get("test").state() == StoreHealth.State.FAILED) {
                    failed.complete(null);
                }
            });
            KvStore store = node.open(spec());
            store.ready().get(30, TimeUnit.SECONDS);
            for (int i = 0; i < KEYS; i++) {
                byte[] value = store.client()
                        .query(key(i).getBytes(UTF_8), key(i).getBytes(UTF_8), Deadline.afterMillis(30_000))
                        .handle((reply, failure) -> failure instanceof RangeException ? null : reply)
                        .get(30, TimeUnit.SECONDS);
                if (value == null) {
                    assertThat(failed).succeedsWithin(30, TimeUnit.SECONDS);
                    return "detected";
                }
                if (value.length != 1_000) {
                    return "wrong data";
                }
            }
            return "harmless";
        } catch (DamagedDataException e) {
            assertThat(e).hasMessageContaining(data.toString());
            return "refused";
        }
    }

    /** One file of each kind: by directory and name, or its end. */
    private static Map<String, Path> kinds(Path data) throws IOException {
        Path range = data.resolve("test/range-1");
        Map<String, Path> kinds = new TreeMap<>();
        try (Stream<Path> files = Files.walk(range)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = file.getFileName().toString();
                String kind = name.contains(".") ? name.substring(name.indexOf('.')) : name.replaceAll("-.*", "");
                if (Files.size(file) > 0 && !name.startsWith("LOG")) {
                    kinds.put(range.relativize(file).getName(0) + " " + kind, file);
                }
            }
        }
        return kinds;
    }

    private static void flip(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[content.length / 2] ^= 0x10;
        Files.delete(file); // not through a hard link
        Files.write(file, content);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static String key(int number) {
        return String.format("k%06d", number);
    }

    private static StoreSpec spec() {
        return new StoreSpec("test", AppendCoprocessor::new, List.of());
    }

    private static KvNode open(Path data) throws IOException {
        RangeSettings settings = new RangeSettings(64L << 20, 100 << 10, 5_000);
        return KvNode.open(new KvNodeConfig(data, true, 32 << 20, 16 << 20, settings, OptionalLong.of(1)));
    }
}
