package io.godwit.cluster;

import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Clusters of nodes in this process, each node on its own loopback address. */
final class TestNodes implements AutoCloseable {
    /** Short time-outs, so that tests are fast. */
    static final MembershipTiming QUICK = new MembershipTiming(200, 1_600, 300, 300, 900, 400, 1_500, 100);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final int port = freePort();
    private final List<HostPort> seeds = new ArrayList<>();
    private final List<Node> opened = new ArrayList<>();
    private String env = "test";
    private long incarnation = 1;
    private MembershipTiming timing = QUICK;

    /** @param count nodes 1 to {@code count} are seeds */
    TestNodes(int count) {
        for (int i = 1; i <= count; i++) {
            seeds.add(new HostPort("127.0.0." + i, port));
        }
    }

    /** A node and the events that its listener got. */
    record Node(Cluster cluster, List<String> events, CompletableFuture<Void> started) {
        List<String> ids() {
            return cluster.membership().members().stream().map(Member::nodeId).toList();
        }

        Member member(String id) {
            return cluster.membership().members().stream()
                    .filter(member -> member.nodeId().equals(id))
                    .findFirst()
                    .orElseThrow();
        }
    }

    TestNodes env(String changed) {
        env = changed;
        return this;
    }

    TestNodes incarnation(long changed) {
        incarnation = changed;
        return this;
    }

    /** Disables the detection of crashes by silence. */
    TestNodes withoutHeartbeats() {
        return withoutHeartbeats(QUICK.verify());
    }

    /** @param verifyMillis how long a suspected member has to answer */
    TestNodes withoutHeartbeats(long verifyMillis) {
        timing = new MembershipTiming(
                QUICK.heartbeat(),
                600_000,
                verifyMillis,
                QUICK.mergeMin(),
                QUICK.mergeMax(),
                QUICK.join(),
                QUICK.rival(),
                QUICK.resolve());
        return this;
    }

    int port() {
        return port;
    }

    /** Node {@code number} at 127.0.0.{@code number}, with the id {@code n(number)}. */
    Node start(int number) throws IOException {
        return start(number, "n" + number, null);
    }

    Node start(int number, String id, @Nullable ClusterTls tls) throws IOException {
        return start(number, id, tls, config(number, "", seeds), InetAddress::getAllByName);
    }

    Node start(int number, String id, @Nullable ClusterTls tls, ClusterConfig config, SeedResolver.Names names)
            throws IOException {
        NodeIdentity identity = new NodeIdentity(id, incarnation, "1.0", Map.of("zone", "z" + number));
        Node node = new Node(
                new Cluster(config, identity, tls, timing, names),
                new CopyOnWriteArrayList<>(),
                new CompletableFuture<>());
        opened.add(node);
        node.cluster().membership().addListener(new ClusterListener() {
            @Override
            public void joined(Member member) {
                node.events().add("joined " + member.nodeId() + "/" + member.incarnation());
            }

            @Override
            public void updated(Member member) {
                node.events().add("updated " + member.nodeId() + " " + member.attributes());
            }

            @Override
            public void gone(Member member, Departure departure) {
                node.events().add(departure + " " + member.nodeId() + "/" + member.incarnation());
            }

            @Override
            public void superseded(Member other) {
                node.events().add("superseded by " + other.nodeId() + "/" + other.incarnation());
            }
        });
        node.cluster().start().whenComplete((done, failure) -> {
            if (failure == null) {
                node.started().complete(null);
            } else {
                node.events().add("failed " + failure);
                node.started().completeExceptionally(failure);
            }
        });
        return node;
    }

    ClusterConfig config(int number, String domainName, List<HostPort> seedEndpoints) {
        return new ClusterConfig(
                env,
                "127.0.0." + number,
                port,
                port + 1,
                domainName,
                seedEndpoints,
                null,
                ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
    }

    /** Waits until all of {@code nodes} have exactly the members with these ids. */
    static void awaitMembers(List<Node> nodes, String... ids) {
        await(
                () -> nodes.stream().allMatch(node -> node.ids().equals(List.of(ids))),
                () -> nodes.stream()
                        .map(node -> node.ids() + " after " + node.events())
                        .toList()
                        .toString());
    }

    static void await(BooleanSupplier condition, Supplier<String> otherwise) {
        Await.until(otherwise, LIMIT, condition::getAsBoolean);
    }

    /** A free port below the ephemeral range, with the next one free too, on the first loopback addresses. */
    static int freePort() {
        for (int attempt = 0; attempt < 200; attempt++) {
            int candidate = ThreadLocalRandom.current().nextInt(10_000, 16_000) * 2;
            if (isFree(candidate) && isFree(candidate + 1)) {
                return candidate;
            }
        }
        throw new AssertionError("no free port");
    }

    private static boolean isFree(int port) {
        for (int i = 1; i <= 4; i++) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress("127.0.0." + i, port));
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }

    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Node node : opened) {
            node.cluster().crash(); // does not wait for other nodes
        }
    }
}
