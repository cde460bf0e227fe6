package io.godwit.it.hostile;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.hostile.Victim.Limit;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is done to the port of the API does not reach MQTT: honest clients wait no longer than {@link Limit#UNNOTICED}
 * says beside those of a broker that nobody attacks, and sockets, threads and memory come back.
 */
@Timeout(300)
class HostileApiTest {
    @RegisterExtension
    static final Victim VICTIM = new Victim();

    private static final long GIB = 1L << 30;
    /** What a socket's two buffers and what the API reads before it closes may take of a body. */
    private static final long TAKEN_AT_MOST = 16L << 20;

    private static final long GROWTH_AT_MOST = 256L << 20;

    /**
     * The whole answer to a question by a connection of its own, which is closed then. It is asked again after "not
     * available now", and where all places are taken. Any other answer is a failure.
     */
    private static String get(String path) throws IOException {
        Await looks = Await.atMost(Await.PATIENCE);
        String answer = answer(path);
        while (!answer.startsWith("HTTP/1.1 200 ")) {
            if (!answer.isEmpty()) {
                assertThat(answer).startsWith("HTTP/1.1 503 ").contains("application/problem+json");
            }
            String last = answer;
            looks.again(() -> last);
            answer = answer(path);
        }
        return answer;
    }

    /** Empty when the connection was refused. */
    private static String answer(String path) throws IOException {
        try (Socket socket = new Socket(VICTIM.api().getAddress(), VICTIM.api().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                    + bearer(Victim.TOKEN) + "\r\n")
                            .getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        } catch (SocketException e) {
            return "";
        }
    }

    /** What the broker has counted: the sum over all series that begin so. */
    private static double counted(String series) throws IOException {
        return get("/metrics")
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    // ---- slow and half-open connections

    @Test
    @Tag("full")
    @Tag("alone")
    void slowConnectionsAreClosedAndNoticedByNobody() throws Exception {
        slow(500, 20, 2_000, Duration.ofSeconds(8));
    }

    @Test
    @Tag("long")
    void tenThousandSlowConnectionsAreClosedAndNoticedByNobody() throws Exception {
        slow(Integer.getInteger("hostile.http", 10_000), 200, 5_000, Duration.ofSeconds(60));
    }

    /**
     * First each stands until the broker closes it. Then so many are kept: one that is closed comes again. Meanwhile
     * somebody else finds the API answering.
     *
     * @param sources addresses that they come from, fewer than the API has connections
     * @param pauseMillis before one that was closed comes again
     */
    private void slow(int connections, int sources, long pauseMillis, Duration lasts) throws Exception {
        double refused = counted("godwit_api_connections_refused_total");
        double closed = counted("godwit_api_connections_closed_total");
        AtomicInteger answers = new AtomicInteger();
        VICTIM.withstands("slow HTTP", Limit.UNNOTICED, () -> {
            try (Swarm swarm = new Swarm(addresses(sources))) {
                swarm.open(VICTIM.api(), connections, HostileApiTest::slowly);
                Await.until("all have come", () -> swarm.opened() == connections);
                // by the broker's count: who does not read does not notice that its connection is closed
                Await.until("closed again but for the one that asks", () -> counted("godwit_api_connections ") == 1);
            }
            try (Swarm swarm = new Swarm(addresses(sources))) {
                swarm.keep(VICTIM.api(), connections, pauseMillis, HostileApiTest::slowly);
                long end = System.nanoTime() + lasts.toNanos();
                while (System.nanoTime() < end) {
                    get("/health/live");
                    answers.incrementAndGet();
                    Pace.passMillis(250);
                }
                assertThat(swarm.opened()).as("connections that were opened").isGreaterThan(2 * connections);
            }
        });
        assertThat(answers).as("answers during the attack").hasPositiveValue();
        double more = counted("godwit_api_connections_refused_total")
                - refused
                + counted("godwit_api_connections_closed_total")
                - closed;
        System.out.printf("%d answers meanwhile, %.0f connections refused or closed%n", answers.get(), more);
        assertThat(more).as("connections that the metrics count").isGreaterThan(2.0 * connections);
    }

    private static List<InetAddress> addresses(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    try {
                        return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (i + 1)});
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .toList();
    }

    private static Swarm.Manner slowly(int number) {
        String host = "Host: localhost\r\n";
        byte[] whole = ("GET /health/live HTTP/1.1\r\n" + host + "\r\n").getBytes(US_ASCII);
        return switch (number % 6) {
            case 0 -> Swarm.Manner.saying(new byte[0]);
            case 1 -> Swarm.Manner.saying(("GET /health/live HTTP/1.1\r\n" + host).getBytes(US_ASCII));
            case 2 -> peer -> trickle(peer, "GET /health/live HTTP/1.1\r\n" + host + "X-Slow: ", 0);
            case 3 -> peer -> trickle(peer, bodyTo("/api/v1/publish", "", "Content-Length: 60000"), 0);
            case 4 ->
                number % 60 == 4
                        ? peer -> deaf(peer)
                        : peer -> trickle(peer, "GET /dashboard/sessions.js HTTP/1.1\r\n", 0);
            default -> Swarm.Manner.saying(whole); // and asks nothing more
        };
    }

    /** The head, or most of it, at once, and a byte more now and then. */
    private static void trickle(Swarm.Peer peer, String begin, int sent) {
        peer.send(sent == 0 ? begin.getBytes(US_ASCII) : new byte[] {'x'});
        peer.later(300, () -> trickle(peer, begin, sent + 1));
    }

    /** With a stolen token: asks for what is large, again and again, and reads nothing of it. */
    private static void deaf(Swarm.Peer peer) {
        peer.read(false);
        String large = "GET /api/v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n" + bearer(Victim.STOLEN)
                + "\r\n";
        peer.send(large.repeat(5).getBytes(US_ASCII));
    }

    private static String bearer(String token) {
        return token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    }

    private static String bodyTo(String path, String token, String framing) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + bearer(token)
                + framing + "\r\n\r\n";
    }

    // ---- large bodies

    /** Each way to send a gigabyte, four at once, is refused with the first bytes, and the rest is not read. */
    @Test
    void aBodyOfAGigabyteIsRefusedBeforeItHasCome() throws Exception {
        double before = counted("godwit_api_problems_total");
        double tooLarge = counted("godwit_api_problems_total{problem=\"too-large\"}");
        List<Body> bodies = List.of(
                new Body(bodyTo("/api/v1/publish", Victim.STOLEN, "Content-Length: " + GIB), false, 413),
                new Body(bodyTo("/api/v1/publish", Victim.STOLEN, "Transfer-Encoding: chunked"), true, 413),
                new Body(bodyTo("/api/v1/publish", "", "Content-Length: " + GIB), false, 401),
                new Body(bodyTo("/api/v1/nothing", "", "Content-Length: " + GIB), false, 404),
                new Body(bodyTo("/health/live", "", "Transfer-Encoding: chunked"), true, 405));
        int each = 4;
        VICTIM.withstands("bodies of a gigabyte", Limit.UNNOTICED, () -> {
            long resident = VICTIM.probe().resident();
            ExecutorService threads = Executors.newCachedThreadPool();
            try {
                List<CompletableFuture<Refusal>> all = new ArrayList<>();
                for (int i = 0; i < each * bodies.size(); i++) {
                    Body body = bodies.get(i % bodies.size());
                    all.add(CompletableFuture.supplyAsync(body::send, threads));
                }
                long most = resident;
                CompletableFuture<Void> over = CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
                while (!over.isDone()) {
                    most = Math.max(most, VICTIM.probe().resident());
                    Pace.passMillis(20);
                }
                for (CompletableFuture<Refusal> one : all) {
                    Refusal refusal = one.get(60, TimeUnit.SECONDS);
                    assertThat(refusal.taken).as("%s", refusal).isLessThan(TAKEN_AT_MOST);
                    assertThat(refusal.status).as("%s", refusal).isIn(refusal.expected, 0);
                }
                assertThat(all.stream().filter(one -> one.join().status > 0).count())
                        .as("answers received before the connections ended")
                        .isGreaterThanOrEqualTo(all.size() / 2);
                System.out.printf("%d bodies of a gigabyte: resident +%d MiB%n", all.size(), most - resident >> 20);
                assertThat(most - resident).as("additional memory in bytes").isLessThan(GROWTH_AT_MOST);
            } finally {
                threads.shutdownNow();
            }
        });
        assertThat(counted("godwit_api_problems_total{problem=\"too-large\"}") - tooLarge)
                .isEqualTo(2 * each);
        assertThat(counted("godwit_api_problems_total") - before).isEqualTo(each * bodies.size());
    }

    /**
     * @param status that was seen; 0 when the connection was reset before
     * @param taken bytes that the connection took
     */
    private record Refusal(int expected, int status, long taken) {}

    private record Body(String head, boolean isChunked, int expected) {
        private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");
        private static final int PIECE = 65_536;

        /** Writes until the broker takes no more, which has to be before the end. */
        Refusal send() {
            long taken = 0;
            try (Socket socket =
                    new Socket(VICTIM.api().getAddress(), VICTIM.api().getPort())) {
                socket.setSoTimeout(20_000);
                CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> read(socket));
                try {
                    OutputStream out = socket.getOutputStream();
                    out.write(head.getBytes(US_ASCII));
                    byte[] piece = piece();
                    while (taken < GIB) {
                        out.write(piece);
                        taken += piece.length;
                    }
                } catch (IOException e) {
                    // it was closed, as it should be
                }
                Matcher status = STATUS.matcher(answer.get(30, TimeUnit.SECONDS));
                return new Refusal(expected, status.lookingAt() ? Integer.parseInt(status.group(1)) : 0, taken);
            } catch (Exception e) {
                throw new IllegalStateException("after " + taken + " bytes", e);
            }
        }

        private byte[] piece() {
            String bytes = " ".repeat(PIECE);
            return (isChunked ? Integer.toHexString(PIECE) + "\r\n" + bytes + "\r\n" : bytes).getBytes(US_ASCII);
        }

        /** What came before the end of the connection. */
        private static String read(Socket socket) {
            StringBuilder text = new StringBuilder();
            byte[] bytes = new byte[4_096];
            try {
                for (int n = socket.getInputStream().read(bytes);
                        n >= 0;
                        n = socket.getInputStream().read(bytes)) {
                    text.append(new String(bytes, 0, n, US_ASCII));
                }
            } catch (IOException e) {
                // a reset
            }
            return text.toString();
        }
    }

    // ---- scrapes

    @Test
    void aScrapeEachTenthOfASecondIsNoticedByNobody() throws Exception {
        scrape(Duration.ofSeconds(2));
    }

    @Test
    @Tag("long")
    void aScrapeEachTenthOfASecondForAMinuteIsNoticedByNobody() throws Exception {
        scrape(Duration.ofSeconds(60));
    }

    private void scrape(Duration lasts) throws Exception {
        VICTIM.withstands("a scrape each 100 ms", Limit.UNNOTICED, () -> {
            long due = System.nanoTime();
            long end = due + lasts.toNanos();
            int scrapes = 0;
            while (due < end) {
                Pace.until(due);
                assertThat(counted("godwit_mqtt_sockets ")).isPositive();
                scrapes++;
                due += TimeUnit.MILLISECONDS.toNanos(100);
            }
            assertThat(scrapes).isEqualTo((int) (lasts.toMillis() / 100));
        });
    }
}
