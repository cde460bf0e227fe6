package io.godwit.kv.raft.log;

import static io.godwit.kv.raft.log.LogFixture.dataOf;
import static io.godwit.kv.raft.log.LogFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.storage.LogStorage;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/**
 * A log as a killed process leaves it, with two tables and a WAL of several blocks, is damaged in one place at a time.
 * Either the start is refused and names a file, or the damaged part is not needed and everything acknowledged is there.
 */
class DamagedLogTest {
    private static final int ENTRIES = 90;
    private static final List<String> GROUPS = List.of("dist-0", "inbox-0", "inbox-1");
    private static final PeerId VOTE = PeerId.parsePeer("127.0.0.1:8899");

    @TempDir
    static Path work;

    private static Path image;

    @BeforeAll
    static void leaveALogBehind() throws IOException {
        image = work.resolve("image");
        try (LogFixture node = new LogFixture(work.resolve("live").resolve("log"))) {
            node.log.putNodeRecord("bootstrapped", new byte[] {1});
            for (String group : GROUPS) {
                node.log.putDescriptor(group, group.getBytes(StandardCharsets.UTF_8));
                node.meta(group).setTermAndVotedFor(3, VOTE);
            }
            fill(node, 1, 30);
            node.reopen(); // the replay writes a table
            fill(node, 31, 60);
            GROUPS.forEach(group -> node.storage(group).truncatePrefix(10));
            node.reopen();
            fill(node, 61, ENTRIES);
            copy(work.resolve("live"), image);
        }
    }

    private static void fill(LogFixture node, int first, int last) {
        for (int index = first; index <= last; index++) {
            for (String group : GROUPS) {
                if (!node.storage(group).appendEntry(entry(index, 3, data(group, index)))) {
                    throw new IllegalStateException("append refused");
                }
            }
        }
    }

    /** From a few bytes to more than a block of the WAL. */
    private static String data(String group, long index) {
        int length = index % 20 == 0 ? 40_000 : (int) (index * 13 % 400);
        return group + " " + index + " " + "x".repeat(length);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Damages a copy of the log before it is opened. */
    private interface Damage {
        void to(Path file) throws IOException;
    }

    private static Path damagedCopy(Path file, Damage damage) throws IOException {
        Path copy = work.resolve("damaged");
        if (Files.exists(copy)) {
            delete(copy);
        }
        copy(image, copy);
        damage.to(copy.resolve(image.relativize(file)));
        return copy;
    }

    private static void flip(Path file, long position, int bits) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            one.put(0, (byte) (one.get(0) ^ bits)).rewind();
            channel.write(one, position);
        }
    }

    private static List<Path> filesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Starts on {@code directory}; returns why the result is not acceptable, or an empty text. */
    private static String unacceptable(Path directory) {
        try (LogFixture node = new LogFixture(directory.resolve("log"))) {
            List<String> lost = new ArrayList<>();
            for (String group : GROUPS) {
                LogStorage storage = node.storage(group);
                if (storage.getLastLogIndex() != ENTRIES || storage.getFirstLogIndex() != 10) {
                    lost.add(group + " is " + storage.getFirstLogIndex() + ".." + storage.getLastLogIndex());
                    continue;
                }
                for (long index = 10; index <= ENTRIES; index++) {
                    LogEntry entry = storage.getEntry(index);
                    if (entry == null ? node.faults.isEmpty() : !dataOf(entry).equals(data(group, index))) {
                        lost.add(group + " entry " + index);
                    }
                }
                if (node.meta(group).getTerm() != 3
                        || !node.meta(group).getVotedFor().equals(VOTE)) {
                    lost.add(group + " vote");
                }
            }
            if (node.log.descriptors().size() != GROUPS.size() || node.log.nodeRecord("bootstrapped") == null) {
                lost.add("register");
            }
            if (node.log.lost() != null) {
                lost.add(node.log.lost());
            }
            return lost.isEmpty() ? "" : "opened in silence without " + lost;
        } catch (DamagedDataException refused) {
            return refused.getMessage().contains(refused.file().toString()) ? "" : "refused without naming a file";
        } catch (IOException | RuntimeException e) {
            return "failed with " + e;
        }
    }

    private static Set<Long> positions(Path file, Random random, int spread, int dense) throws IOException {
        long size = Files.size(file);
        Set<Long> positions = new TreeSet<>();
        for (int i = 0; i < spread && size > 0; i++) {
            positions.add((long) (random.nextDouble() * size));
        }
        for (long i = 1; i <= dense && i <= size; i++) {
            positions.add(size - i); // where a tail could be torn
            positions.add(i - 1);
        }
        return positions;
    }

    private static void flipEverywhere(int spread, int dense, long seed) throws IOException {
        Random random = new Random(seed);
        List<String> failures = new ArrayList<>();
        for (Path file : filesOf(image)) {
            for (long position : positions(file, random, spread, dense)) {
                int bits = 1 + random.nextInt(255);
                String failure = unacceptable(damagedCopy(file, copy -> flip(copy, position, bits)));
                if (!failure.isEmpty()) {
                    failures.add(image.relativize(file) + " at " + position + " xor " + bits + ": " + failure);
                }
            }
        }
        assertThat(failures).as("seed " + seed).isEmpty();
    }

    @Test
    void undamagedImageOpens() throws IOException {
        assertThat(unacceptable(damagedCopy(image.resolve("log.synced"), file -> {})))
                .isEmpty();
        assertThat(filesOf(image))
                .filteredOn(file -> file.toString().endsWith(".sst"))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void flippedByteIsNeverSwallowed() throws IOException {
        flipEverywhere(8, 4, 1);
    }

    @Test
    @Tag("long")
    void flippedByteIsNeverSwallowedAnywhere() throws IOException {
        flipEverywhere(300, 150, System.nanoTime());
    }

    private static Path lastWal() throws IOException {
        return filesOf(image).stream()
                .filter(file -> file.toString().endsWith(".log"))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** RocksDB itself takes a wrong length in the last block for the end of the file, and drops what follows. */
    @Test
    void wrongLengthInTheLastBlockIsNotATornTail() throws IOException {
        for (int head : fragmentsOfTheLastBlock()) {
            for (int at = head + 4; at < head + 7; at++) {
                int position = at;
                Path copy = damagedCopy(lastWal(), file -> flip(file, position, 0x14));
                assertThatThrownBy(() -> new LogFixture(copy.resolve("log")))
                        .as("byte " + (at - head) + " of the fragment at " + head)
                        .isInstanceOf(DamagedDataException.class)
                        .hasMessageContaining(lastWal().getFileName().toString());
            }
        }
    }

    private static List<Integer> fragmentsOfTheLastBlock() throws IOException {
        ByteBuffer wal = ByteBuffer.wrap(Files.readAllBytes(lastWal())).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> heads = new ArrayList<>();
        for (int at = (wal.limit() - 1) / 32768 * 32768;
                at < wal.limit();
                at += 7 + Short.toUnsignedInt(wal.getShort(at + 4))) {
            heads.add(at);
        }
        return heads;
    }

    @Test
    void tornTailIsCut() throws IOException {
        byte[] wal = Files.readAllBytes(lastWal());
        List<byte[]> tails = new ArrayList<>();
        tails.add(new byte[] {1});
        tails.add(new byte[100]);
        tails.add(new byte[100_000]);
        byte[] noise = new byte[50_000];
        new Random(5).nextBytes(noise);
        tails.add(Arrays.copyOf(noise, 40));
        tails.add(noise);
        tails.add(Arrays.copyOfRange(wal, 0, 300)); // records of an earlier time, one of them cut off
        for (byte[] tail : tails) {
            Path copy = damagedCopy(lastWal(), file -> Files.write(file, tail, StandardOpenOption.APPEND));
            assertThat(unacceptable(copy)).as(tail.length + " bytes more").isEmpty();
        }
    }

    @Test
    void cutLastRecordLeavesWhatWasBeforeIt() throws IOException {
        long size = Files.size(lastWal());
        for (int missing = 1; missing < 300; missing += 23) {
            long left = size - missing;
            Path copy = damagedCopy(lastWal(), file -> truncate(file, left));
            try (LogFixture node = new LogFixture(copy.resolve("log"))) {
                assertThat(node.storage("inbox-1").getLastLogIndex()).isEqualTo(ENTRIES - 1);
                assertThat(node.storage("inbox-0").getLastLogIndex()).isEqualTo(ENTRIES);
                assertThat(node.storage("dist-0").getLastLogIndex()).isEqualTo(ENTRIES);
                assertThat(dataOf(node.storage("inbox-1").getEntry(ENTRIES - 1)))
                        .isEqualTo(data("inbox-1", ENTRIES - 1));
                assertThat(node.log.lost()).contains(lastWal().getFileName().toString());
                node.reopen();
                assertThat(node.log.lost()).as("the loss is reported only once").isNull();
            }
        }
    }

    @Test
    void moreThanOneLostRecordIsRefused() throws IOException {
        long size = Files.size(lastWal());
        for (long left : List.of(0L, size / 3, size / 2, size - 2_000)) {
            Path copy = damagedCopy(lastWal(), file -> truncate(file, left));
            assertThatThrownBy(() -> new LogFixture(copy.resolve("log")))
                    .as(left + " of " + size + " bytes left")
                    .isInstanceOf(DamagedDataException.class);
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    @Test
    void missingFileIsRefused() throws IOException {
        for (Path file : filesOf(image)) {
            String name = file.getFileName().toString();
            if (name.matches("CURRENT|MANIFEST-.*|.*[.](sst|log)") && Files.size(file) > 0) {
                Path copy = damagedCopy(file, Files::delete);
                assertThatThrownBy(() -> new LogFixture(copy.resolve("log")))
                        .as("without " + name)
                        .isInstanceOf(DamagedDataException.class);
            }
        }
    }

    @Test
    void gapInAGroupIsRefused() throws Exception {
        Path copy = damagedCopy(lastWal(), file -> {});
        RocksDB.loadLibrary();
        try (Options options = new Options();
                RocksDB db = RocksDB.open(options, copy.resolve("log").toString())) {
            db.delete(SharedLogFormat.entryKey(2, 50));
        }

        assertThatThrownBy(() -> new LogFixture(copy.resolve("log")))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(copy.resolve("log").toString())
                .hasMessageContaining("gap in the log of group inbox-0: entry 51 follows entry 49");
    }

    @Test
    void entryUnderAnothersKeyIsRefused() throws Exception {
        Path copy = damagedCopy(lastWal(), file -> {});
        RocksDB.loadLibrary();
        try (Options options = new Options();
                RocksDB db = RocksDB.open(options, copy.resolve("log").toString())) {
            byte[] other = db.get(SharedLogFormat.entryKey(2, 51));
            db.put(SharedLogFormat.entryKey(2, 50), other);
        }

        assertThatThrownBy(() -> new LogFixture(copy.resolve("log")))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining("checksum");
    }
}
