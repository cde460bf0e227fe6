package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.KvStore;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.member.MemberSettings;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreSpec;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.ReplicaGoal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The store under test, and all that the tests know of its interface. */
final class NodeUnderTest implements Registers {
    private static final String STORE = "check";
    /** As in a broker. */
    private static final int HEARTBEATS_PER_ELECTION = 5;

    private static final long PENDING_BYTES = 8 << 20;
    private static final long LEADER_WAIT_MILLIS = 5_000;
    /** By which a future may be late before it is taken to be lost. */
    private static final long GRACE_MILLIS = 2_000;

    private static final int PEEKED_CHARS = 100;
    /** A step every 200 ms, and one that fails is soon tried again. */
    private static final BalanceLoopConfig QUICK = new BalanceLoopConfig(
            Duration.ofMillis(200),
            BalanceLoopConfig.DEFAULT.timeout(),
            BalanceLoopConfig.DEFAULT.settleTimeout(),
            Duration.ofSeconds(1),
            BalanceLoopConfig.DEFAULT.maxBackoff(),
            BalanceLoopConfig.DEFAULT.maxInFlight());

    private final KvNode node;
    private final RangeClient client;
    private final StoreOperations operations;
    /**
     * What the replicas of this node have applied since its start, but for long values: a large range of them has more
     * than the heap.
     */
    private final Map<String, String> applied = new ConcurrentHashMap<>();

    NodeUnderTest(NodeOptions options) throws IOException {
        KvNodeConfig config = new KvNodeConfig(
                options.data(),
                options.bootstrap(),
                options.cacheBytes(),
                options.cacheBytes() / 2,
                new RangeSettings(PENDING_BYTES, options.snapshotLogBytes(), LEADER_WAIT_MILLIS),
                OptionalLong.of(options.lowWaterBytes()));
        boolean isAlone = options.clusterPort() == 0;
        node = KvNode.open(isAlone ? config : config.in(cluster(options)));
        List<byte[]> splitKeys =
                options.splitKeys().stream().map(key -> key.getBytes(UTF_8)).toList();
        KvStore store = node.open(
                new StoreSpec(STORE, () -> new RegisterMap(this::applied), splitKeys).balancedBy(balance(options)));
        client = store.client();
        operations = node.operations().store(STORE).orElseThrow();
    }

    private static MemberSettings cluster(NodeOptions options) {
        ClusterConfig config = new ClusterConfig(
                "check",
                options.host(),
                options.clusterPort(),
                options.rpcPort(),
                "",
                options.seeds().stream().map(NodeUnderTest::seed).toList(),
                null,
                ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
        RaftSettings raft = new RaftSettings(
                options.electionMillis(),
                options.electionMillis() / HEARTBEATS_PER_ELECTION,
                options.snapshotBytesPerSecond());
        return new MemberSettings(config, raft, "check", "", MemberSettings.DEFAULT_JOIN_TIMEOUT, true);
    }

    private static HostPort seed(String text) {
        int colon = text.lastIndexOf(':');
        return new HostPort(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /**
     * Ranges are given their voters, again and again; all else is the operator's, so that it is known what was done.
     */
    private static StoreBalance balance(NodeOptions options) {
        String settleSeconds = options.areVotersSoon() ? "1" : "3";
        BalancePlan.Step step = new BalancePlan.Step(
                new VoterGoals(options.seeds().size(), options.splitKeys()),
                Map.of("settleSeconds", settleSeconds, "graceSeconds", String.valueOf(options.graceSeconds())));
        return new StoreBalance(
                new ReplicaGoal(VoterGoals.USUAL, false),
                new BalancePlan(List.of(step)),
                options.areVotersSoon() ? QUICK : BalanceLoopConfig.DEFAULT);
    }

    @Override
    public Reply answer(Request request, long millis) {
        boolean reads = request.kind() == Request.Kind.READ;
        byte[] key = request.key().getBytes(UTF_8);
        byte[] text = request.toString().getBytes(UTF_8);
        Deadline deadline = Deadline.afterMillis(millis);
        CompletableFuture<byte[]> answer =
                reads ? client.query(key, text, deadline) : client.mutate(key, text, deadline);
        try {
            return Reply.parse(new String(answer.get(millis + GRACE_MILLIS, TimeUnit.MILLISECONDS), UTF_8));
        } catch (ExecutionException e) {
            String detail = String.valueOf(e.getCause().getMessage());
            return reads || e.getCause() instanceof RangeException refused && isSurelyNotDone(refused.reason())
                    ? Reply.fail(detail)
                    : Reply.unknown(detail);
        } catch (TimeoutException e) {
            return Reply.unknown("NO ANSWER long after the deadline");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Reply.unknown("interrupted");
        }
    }

    /** As {@link io.godwit.kv.coprocessor.Proposal#failed} says. */
    private static boolean isSurelyNotDone(RangeException.Cause cause) {
        return switch (cause) {
            case OVERLOADED, DISK_FULL, TOO_LARGE, CLOSED -> true;
            case TIMEOUT, STORE_FAILED, MOVED, LOST -> false;
        };
    }

    @Override
    public String operate(String[] words, long millis) {
        return switch (words[0]) {
            case "health" -> "done " + health();
            case "self" -> "done " + node.storeId();
            case "ranges" -> "done " + OperatorText.format(ranges());
            case "terms" -> "done " + terms();
            case "clock" -> "done " + System.currentTimeMillis();
            case "peek" -> "done " + peek(words[1], millis);
            case "faults" ->
                "done "
                        + String.join(
                                "; ",
                                operations.ranges().stream()
                                        .flatMap(range -> range.faults().stream())
                                        .toList());
            case "rest" -> rest(words[1], millis);
            case "fill" -> new Filling(client, words).run(millis);
            case "digest" -> digest(words, millis);
            default -> {
                BalanceAction action = action(words);
                yield action == null ? "not UNSUPPORTED " + words[0] : carryOut(action, millis);
            }
        };
    }

    private void applied(Request write) {
        String value = Objects.requireNonNull(write.value());
        if (value.length() <= PEEKED_CHARS) {
            applied.put(write.key(), value);
        }
    }

    /**
     * Reads as a store would that trusts its own word: it answers with what it has, and asks nobody whether that is the
     * last of it.
     */
    private Reply peek(String key, long millis) {
        String value = applied.get(key);
        return value == null ? answer(Request.read(key), millis) : Reply.value(value);
    }

    private String health() {
        StoreHealth health = node.health().get(STORE);
        return health.state() + " " + health.detail();
    }

    private List<RangeText> ranges() {
        List<RangeText> texts = new ArrayList<>();
        for (RangeInfo range : operations.ranges()) {
            byte @Nullable [] end = range.end();
            texts.add(new RangeText(
                    range.id(),
                    range.epoch(),
                    range.leader(),
                    range.voters(),
                    range.learners(),
                    new String(range.start(), UTF_8),
                    end == null ? "" : new String(end, UTF_8)));
        }
        return texts;
    }

    private String terms() {
        return String.join(
                ";",
                operations.ranges().stream()
                        .map(range -> range.id() + "," + range.term())
                        .toList());
    }

    private String rest(String balancer, long millis) {
        try {
            operations.balance().pause(balancer).get(millis, TimeUnit.MILLISECONDS);
            return "done";
        } catch (ExecutionException | TimeoutException e) {
            return "not FAILED " + e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "not FAILED interrupted";
        }
    }

    /** Of what lies in one range: it is asked as a whole. */
    private String digest(String[] words, long millis) {
        byte[] query = String.join(" ", words).getBytes(UTF_8);
        try {
            return "done "
                    + new String(
                            client.query(words[1].getBytes(UTF_8), query, Deadline.afterMillis(millis))
                                    .get(millis + GRACE_MILLIS, TimeUnit.MILLISECONDS),
                            UTF_8);
        } catch (ExecutionException | TimeoutException e) {
            return "not FAILED " + e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "not FAILED interrupted";
        }
    }

    private static @Nullable BalanceAction action(String[] words) {
        long id = words.length < 3 ? 0 : Long.parseLong(words[1]);
        long epoch = words.length < 3 ? 0 : Long.parseLong(words[2]);
        String why = "asked for by the test";
        return switch (words[0]) {
            case "split" -> new Split(id, epoch, Optional.of(Key.of(words[3].getBytes(UTF_8))), why);
            case "merge" -> new Merge(id, epoch, Long.parseLong(words[3]), Long.parseLong(words[4]), why);
            case "replica" -> new ChangeReplica(id, epoch, ChangeReplica.Step.valueOf(words[3]), words[4], why);
            case "transfer" -> new MoveLeader(id, epoch, words[3], why);
            default -> null;
        };
    }

    private String carryOut(BalanceAction action, long millis) {
        try {
            OperationResult result = operations
                    .carryOut(action, Deadline.afterMillis(millis))
                    .get(millis + GRACE_MILLIS, TimeUnit.MILLISECONDS);
            return result.isDone() ? "done" : "not " + result.outcome() + ' ' + result.detail();
        } catch (ExecutionException e) {
            return "not FAILED though it should never fail: " + e.getCause();
        } catch (TimeoutException e) {
            return "not FAILED no answer long after the deadline";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "not FAILED interrupted";
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
