package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No file descriptor is left when the stores need one: they wait, and go on without a restart when there are some.
 * What was acknowledged before, meanwhile and after is there.
 */
class DescriptorShortageTest {
    private static final int PAYLOAD_BYTES = 128 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    /** One session: the memtable of its range is full before that of the log. */
    @Test
    void aRangeWithoutDescriptorsIsOpenedAgain() throws Exception {
        assertThat(shortage(1, "opened again when there are file descriptors")).isGreaterThan(1);
        assertThat(lines("range opened again")).isNotEmpty();
    }

    /** Sessions of several ranges, which share the log. */
    @Test
    @Tag("full")
    void aLogWithoutDescriptorsIsOpenedAgain() throws Exception {
        assertThat(shortage(12, "raft log waits")).isGreaterThan(1);
        assertThat(lines("raft log opened again")).isNotEmpty();
    }

    /**
     * Publishes to so many offline sessions until the log has a line with {@code sign}, and on.
     *
     * @return the messages that were acknowledged
     */
    private int shortage(int sessions, String sign) throws Exception {
        try (BrokerProcess broker =
                new BrokerProcess(directory).property("inbox_store_initial_ranges", Math.min(8, sessions))) {
            broker.start();
            ProcessHandle process = broker.handle();
            for (int i = 0; i < sessions; i++) {
                try (TestClient subscriber = new TestClient(offline(broker, i))) {
                    subscriber.connect();
                    assertThat(subscriber.subscribe("t", 1)).isEqualTo(1);
                    subscriber.disconnect();
                }
            }
            Set<Integer> acknowledged = new HashSet<>();
            int published = 0;
            try (TestClient publisher = publisher(broker, "early")) {
                publisher.connect();
                while (published < 10) {
                    assertThat(publish(publisher, published)
                                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                    .code())
                            .isZero();
                    acknowledged.add(published++);
                }
                int before = limitOf(process);
                limit(process, lowestFree(process));
                try {
                    published = publishUntil(sign, publisher, published, acknowledged);
                } finally {
                    limit(process, before);
                }
            }
            try (TestClient publisher = publisher(broker, "late")) {
                Await looks = Await.atMost(PATIENCE);
                while (!isTaken(publisher, published)) {
                    looks.again(() -> "a publish is taken");
                    published++;
                }
                acknowledged.add(published);
            }
            Await.until("the stores serve", PATIENCE, () -> !broker.status().contains("FAILED"));
            assertThat(broker.handle()).isEqualTo(process);
            for (int i = 0; i < sessions; i++) {
                assertThat(received(offline(broker, i), published)).containsAll(acknowledged);
            }
            return acknowledged.size();
        }
    }

    private int publishUntil(String sign, TestClient publisher, int first, Set<Integer> acknowledged) throws Exception {
        record Sent(int number, CompletableFuture<@Nullable Ack> done) {}
        List<Sent> sent = new ArrayList<>();
        Await looks = Await.atMost(PATIENCE);
        int next = first;
        while (lines(sign).isEmpty()) {
            if (publisher.canPublish() && sent.size() < 400) {
                sent.add(new Sent(next, publish(publisher, next)));
                next++;
            } else {
                looks.again(() -> sign + " after " + sent.size() + " messages; " + faults());
            }
        }
        for (Sent each : sent) {
            CompletableFuture<@Nullable Ack> done = each.done();
            if (done.isDone() && !done.isCompletedExceptionally()) {
                Ack ack = done.join();
                if (ack != null && ack.code() == 0) {
                    acknowledged.add(each.number());
                }
            }
        }
        return next;
    }

    private static boolean isTaken(TestClient publisher, int number) throws Exception {
        try {
            if (!publisher.isOpen()) {
                publisher.connectAnew();
            }
            Ack ack = publish(publisher, number).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return ack != null && ack.code() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static CompletableFuture<@Nullable Ack> publish(TestClient publisher, int number) throws IOException {
        byte[] payload = ByteBuffer.allocate(PAYLOAD_BYTES).putInt(number).array();
        CompletableFuture<@Nullable Ack> done = publisher.publish("t", payload, 1, false, Properties.NONE);
        publisher.flush();
        return done;
    }

    private static Set<Integer> received(ClientConfig config, int last) throws Exception {
        Set<Integer> numbers = new HashSet<>();
        try (TestClient subscriber = new TestClient(config)) {
            subscriber.connect();
            while (!numbers.contains(last)) {
                Packet.Publish message = subscriber.next(PATIENCE);
                assertThat(message).as("message after %s", numbers).isNotNull();
                numbers.add(ByteBuffer.wrap(message.payload()).getInt());
            }
        }
        return numbers;
    }

    private static ClientConfig offline(BrokerProcess broker, int number) {
        return ClientConfig.of(broker.address(), "offline-" + number, 5);
    }

    private static TestClient publisher(BrokerProcess broker, String name) {
        return new TestClient(ClientConfig.of(broker.address(), name, 5).withCleanSession());
    }

    /** The number that the next file would get: with this as the limit none can be opened. */
    private static int lowestFree(ProcessHandle process) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", "" + process.pid(), "fd"))) {
            Set<String> taken = new HashSet<>();
            open.forEach(file -> taken.add(file.getFileName().toString()));
            int number = 0;
            while (taken.contains("" + number)) {
                number++;
            }
            return number;
        }
    }

    private static int limitOf(ProcessHandle process) throws IOException {
        String limits = Files.readString(Path.of("/proc", "" + process.pid(), "limits"));
        Matcher soft = Pattern.compile("Max open files +(\\d+)").matcher(limits);
        assertThat(soft.find()).as(limits).isTrue();
        return Integer.parseInt(soft.group(1));
    }

    private static void limit(ProcessHandle process, int files) throws IOException, InterruptedException {
        Process program = new ProcessBuilder("prlimit", "--pid", "" + process.pid(), "--nofile=" + files + ":")
                .inheritIO()
                .start();
        assertThat(program.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isZero();
    }

    private List<String> faults() {
        try {
            return lines(" ERROR ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> lines(String text) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            for (Path file : files.toList()) {
                Files.readAllLines(file).stream()
                        .filter(line -> line.contains(text))
                        .forEach(found::add);
            }
        }
        return found;
    }
}
