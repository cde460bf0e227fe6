package io.godwit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.MembershipTiming;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.member.SeedResolver;
import io.godwit.cluster.trust.ClusterTls;
import io.godwit.testing.Await;
import io.grpc.Channel;
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
public final class TestNodes implements AutoCloseable {
    /** Short time-outs, so that tests are fast. */
    public static final MembershipTiming QUICK = new MembershipTiming(200, 1_600, 300, 300, 900, 400, 1_500, 100);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final int port = freePort();
    private final List<HostPort> seeds = new ArrayList<>();
    private final List<Node> opened = new ArrayList<>();
    private String env = "test";
    private long incarnation = 1;
    private MembershipTiming timing = QUICK;

    /** @param count nodes 1 to {@code count} are seeds */
    public TestNodes(int count) {
        for (int i = 1; i <= count; i++) {
            seeds.add(new HostPort("127.0.0." + i, port));
        }
    }

    /** A node and the events that its listener got. */
    public record Node(Cluster cluster, List<String> events, CompletableFuture<Void> started) {
        public List<String> ids() {
            return cluster.membership().members().stream().map(Member::nodeId).toList();
        }

        public Member member(String id) {
            return cluster.membership().members().stream()
                    .filter(member -> member.nodeId().equals(id))
                    .findFirst()
                    .orElseThrow();
        }

        /** See {@link ClusterCrash}. */
        public void crash() throws IOException {
            cluster.crash();
        }
    }

    public TestNodes env(String changed) {
        env = changed;
        return this;
    }

    public TestNodes incarnation(long changed) {
        incarnation = changed;
        return this;
    }

    /** Disables the detection of crashes by silence. */
    public TestNodes withoutHeartbeats() {
        return withoutHeartbeats(QUICK.verify());
    }

    /** @param verifyMillis how long a suspected member has to answer */
    public TestNodes withoutHeartbeats(long verifyMillis) {
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

    public int port() {
        return port;
    }

    /** Node {@code number} at 127.0.0.{@code number}, with the id {@code n(number)}. */
    public Node start(int number) throws IOException {
        return start(number, "n" + number, null);
    }

    public Node start(int number, String id, @Nullable ClusterTls tls) throws IOException {
        return start(number, id, tls, config(number, "", seeds), InetAddress::getAllByName);
    }

    public Node start(int number, String id, @Nullable ClusterTls tls, ClusterConfig config, SeedResolver.Names names)
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

    public ClusterConfig config(int number, String domainName, List<HostPort> seedEndpoints) {
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
    public static void awaitMembers(List<Node> nodes, String... ids) {
        await(
                () -> nodes.stream().allMatch(node -> node.ids().equals(List.of(ids))),
                () -> nodes.stream()
                        .map(node -> node.ids() + " after " + node.events())
                        .toList()
                        .toString());
    }

    /** The channel between two members. */
    public static Channel channel(Node from, String to) {
        Channel channel = from.cluster().channels().to(to);
        assertThat(channel).isNotNull();
        return channel;
    }

    public static void await(BooleanSupplier condition, Supplier<String> otherwise) {
        Await.until(otherwise, LIMIT, condition::getAsBoolean);
    }

    /** A free port below the ephemeral range, with the next one free too, on the first loopback addresses. */
    public static int freePort() {
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

    public static InetAddress address(String text) {
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
