package io.godwit.it.kv;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.node.Digest;
import io.godwit.it.kv.node.FillText;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes with one range of many registers, which three of them are voters of. Changes are made by the test alone:
 * balancers rest.
 */
final class LargeRange implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LargeRange.class);

    private static final int VOTERS = 3;
    private static final int PATIENCE_MILLIS = 90_000;
    private static final int FILL_MILLIS = 280_000;
    /** Registers in one digest. */
    private static final long DIGESTED = 50_000;

    private static final Pattern COPIED =
            Pattern.compile("snapshot copied .*bytes=(\\d+) ofThemBefore=(\\d+) millis=(\\d+)");

    private final Path directory;
    private final long registers;
    private final int bytes;
    private final TestCluster cluster;
    /** Store ids, by the number of the node. */
    private final List<String> stores = new ArrayList<>();

    /**
     * Starts the nodes; the range is empty.
     *
     * @param logs for the nodes' logs, which stay
     */
    LargeRange(Path directory, Path logs, int nodes, long registers, int bytes, NodeTerms terms) throws IOException {
        this.directory = directory;
        this.registers = registers;
        this.bytes = bytes;
        this.cluster = new TestCluster(
                nodes, new ProcessHosts(nodes, directory, logs, false), List.of(), Fault.GENUINE, terms);
        try {
            cluster.start();
            for (int node = 0; node < nodes; node++) {
                cluster.awaitServing(node, PATIENCE_MILLIS);
            }
            cluster.awaitVoters(0, VOTERS, PATIENCE_MILLIS);
            for (int node = 0; node < nodes; node++) {
                stores.add(done(cluster.operate(node, "self", 2_000)));
                rest(node);
            }
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void rest(int node) throws IOException {
        done(cluster.operate(node, "rest replica-count", 5_000));
    }

    private static String done(String reply) throws IOException {
        if (!reply.startsWith("done")) {
            throw new IOException(reply);
        }
        return reply.substring(4).strip();
    }

    NodeProcess node(int number) {
        return cluster.process(number);
    }

    int size() {
        return cluster.size();
    }

    /** Its ranges in the order of their keys, as a node knows them; waits until each has a leader. */
    List<RangeText> ranges(int node) throws IOException {
        Await looks = Await.atMost(Duration.ofMillis(PATIENCE_MILLIS));
        while (true) {
            List<RangeText> ranges = OperatorText.ranges(done(cluster.operate(node, "ranges", 2_000)));
            if (!ranges.isEmpty()
                    && ranges.stream().noneMatch(range -> range.leader().isEmpty())) {
                return ranges.stream()
                        .sorted(Comparator.comparing(RangeText::start))
                        .toList();
            }
            if (!looks.again()) {
                throw new IOException("no leaders: " + ranges + node(node).said());
            }
        }
    }

    /** The number of the node that leads a range. */
    int leader(RangeText range) {
        return stores.indexOf(range.leader());
    }

    /** A voter that does not lead. */
    int follower(RangeText range) {
        return range.voters().stream()
                .filter(store -> !store.equals(range.leader()))
                .mapToInt(stores::indexOf)
                .findFirst()
                .orElseThrow();
    }

    /** A node without a replica. */
    int absent(RangeText range) {
        return stores.stream()
                .filter(store -> !range.voters().contains(store))
                .mapToInt(stores::indexOf)
                .findFirst()
                .orElseThrow();
    }

    /** Writes all registers; returns how long that took, in milliseconds. */
    long fill() throws IOException {
        int leader = leader(ranges(0).get(0));
        return Long.parseLong(done(cluster.operate(leader, "fill 0 " + registers + ' ' + bytes, FILL_MILLIS)));
    }

    /** Has a node carry out a change; returns its reply. */
    String operate(int node, String words) throws IOException {
        String reply = cluster.operate(node, words, PATIENCE_MILLIS);
        LOG.info("{}: {}", words, reply);
        return reply;
    }

    /** The same, again and again until it is done, each time for the range as it is then. */
    void change(int node, int range, String what, String rest) throws IOException {
        Await looks = Await.atMost(Duration.ofMillis(2 * PATIENCE_MILLIS));
        String reply;
        do {
            if (!looks.again()) {
                throw new IOException(what + " is not done" + node(node).said());
            }
            RangeText now = ranges(node).get(range);
            reply = cluster.operate(node, what + ' ' + now.id() + ' ' + now.epoch() + ' ' + rest, PATIENCE_MILLIS);
        } while (!reply.startsWith("done"));
    }

    String store(int node) {
        return stores.get(node);
    }

    /** Starts a node again after a kill; it is not served by yet. */
    void restart(int node) throws IOException {
        node(node).start();
        cluster.awaitServing(node, PATIENCE_MILLIS);
        rest(node);
    }

    /**
     * Compares all registers, as their leaders have them, with what was written.
     *
     * @return what is wrong; empty when nothing is
     */
    List<String> differences(int node) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (RangeText range : ranges(node)) {
            for (long from = 0; from < registers; from += DIGESTED) {
                long end = Math.min(registers, from + DIGESTED);
                String first = max(FillText.key(from), range.start());
                String last = range.end().isEmpty() ? FillText.key(end) : min(FillText.key(end), range.end());
                if (first.compareTo(last) < 0) {
                    String found = done(cluster.operate(node, "digest " + first + ' ' + last, PATIENCE_MILLIS));
                    String expected = expected(number(first), number(last));
                    if (!found.equals(expected)) {
                        wrong.add("from " + first + " to " + last + ": " + found + ", expected " + expected);
                    }
                }
            }
        }
        return wrong;
    }

    private static long number(String key) {
        return Long.parseLong(key.substring(1));
    }

    private static String min(String a, String b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static String max(String a, String b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private String expected(long from, long end) {
        Digest digest = new Digest();
        for (long number = from; number < end; number++) {
            digest.add(
                    FillText.key(number).getBytes(UTF_8),
                    FillText.value(number, bytes).getBytes(UTF_8));
        }
        return digest.toString();
    }

    /**
     * A copy of a snapshot that a node has taken in.
     *
     * @param before how many of the bytes an earlier copy, which broke off, had brought
     */
    record Copy(long bytes, long before, long millis) {
        double bytesPerSecond() {
            return (bytes - before) * 1_000.0 / millis;
        }
    }

    /** Those that came to a node, by its log. */
    List<Copy> copies(int node) throws IOException {
        List<Copy> copies = new ArrayList<>();
        for (String line : Files.readAllLines(node(node).log())) {
            Matcher matcher = COPIED.matcher(line);
            if (matcher.find()) {
                copies.add(new Copy(
                        Long.parseLong(matcher.group(1)),
                        Long.parseLong(matcher.group(2)),
                        Long.parseLong(matcher.group(3))));
            }
        }
        return copies;
    }

    /** Bytes of the snapshot that a node is taking in. */
    long copied(int node) throws IOException {
        return bytesBelow(data(node), path -> path.toString().contains("/snapshot/temp/"));
    }

    /** Bytes of a node's ranges, snapshots included; what has several names counts once. */
    long rangeBytes(int node) throws IOException {
        return bytesBelow(data(node), path -> path.toString().contains("/range-"));
    }

    private Path data(int node) {
        return directory.resolve(node(node).name()).resolve("data");
    }

    private interface Choice {
        boolean has(Path path);
    }

    private static long bytesBelow(Path root, Choice choice) throws IOException {
        Map<Object, Long> sizes = new HashMap<>();
        collect(root, choice, sizes);
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** By hand rather than by {@code Files.walk}, which fails at files that go away meanwhile. */
    private static void collect(Path directory, Choice choice, Map<Object, Long> sizes) throws IOException {
        List<Path> entries;
        try (Stream<Path> listed = Files.list(directory)) {
            entries = listed.toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path entry : entries) {
            try {
                Map<String, Object> found = Files.readAttributes(entry, "unix:ino,size,isDirectory");
                if (Boolean.TRUE.equals(found.get("isDirectory"))) {
                    collect(entry, choice, sizes);
                } else if (choice.has(entry)) {
                    @Nullable Object inode = found.get("ino");
                    if (inode != null && found.get("size") instanceof Long size) {
                        sizes.put(inode, size);
                    }
                }
            } catch (NoSuchFileException e) {
                LOG.trace("gone meanwhile: {}", entry);
            }
        }
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
