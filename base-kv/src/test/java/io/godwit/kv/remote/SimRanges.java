package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.remote.RangeCall.Kind;
import io.godwit.plugin.balance.RangeLoad;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Ranges on a few nodes as the client sees them: leaders that accept calls by token, seal, apply and answer them, move,
 * are split and merged, and connections that break. Everything happens on the test's thread, in an order given by the
 * seed.
 */
final class SimRanges {
    static final long DEADLINE_MILLIS = 30_000;
    static final long MAX_PENDING_BYTES = 1 << 20;
    private static final List<String> NODES = List.of("a", "b", "c");
    private static final String[] KEYS = {"b", "d", "h", "k", "p", "t", "x"};

    private final Random random;
    private final long seed;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Timed> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timed::atNanos).thenComparingLong(Timed::order));
    private final RangeCalls calls;
    private final List<SimRange> ranges = new ArrayList<>();
    /** By node: calls that were sent and have not arrived. */
    private final Map<String, Deque<Sent>> wires = new HashMap<>();
    /** Answers in transit, in no order. */
    private final List<Runnable> answers = new ArrayList<>();
    /** Calls of each node's connection whose answer has not reached the client. */
    private final Map<String, List<Sent>> open = new HashMap<>();

    private final Map<String, List<Long>> applied = new HashMap<>();
    private final Map<Long, String> acknowledged = new HashMap<>();
    /** By key: how much of it had been applied when a call was acknowledged, and which call. */
    private final Map<String, List<Acknowledged>> acknowledgedAt = new HashMap<>();

    private record Acknowledged(int applied, long number) {}

    private boolean isRepeating;
    /** Calls up to this number are given up. */
    private long givenUp;

    private final List<Cause> failures = new ArrayList<>();
    private long nanos = 1_000_000_000L;
    private long order;
    private long number;
    private long unanswered;
    private long done;
    private long refusals;
    private long sentTooLate;
    private long nextId = 1;
    private long nextFence = 1;

    private record Timed(long atNanos, long order, Runnable task) {}

    /** A call under way to one node. */
    private static final class Sent {
        final RouteToken token;
        final RangeCall call;
        final Consumer<CallReply> answer;
        final String node;
        boolean isTold;

        Sent(String node, RouteToken token, RangeCall call, Consumer<CallReply> answer) {
            this.node = node;
            this.token = token;
            this.call = call;
            this.answer = answer;
        }
    }

    /** The one true state of a range. */
    private static final class SimRange {
        final long id;
        long epoch;
        RangeBounds bounds;
        String leader;
        long term;
        long fence;
        /** Accepted but not applied. */
        final Deque<Sent> taken = new ArrayDeque<>();

        SimRange(long id, long epoch, RangeBounds bounds, String leader, long term, long fence) {
            this.id = id;
            this.epoch = epoch;
            this.bounds = bounds;
            this.leader = leader;
            this.term = term;
            this.fence = fence;
        }

        RouteToken token() {
            return new RouteToken(id, term, fence);
        }
    }

    SimRanges(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        NODES.forEach(node -> {
            wires.put(node, new ArrayDeque<>());
            open.put(node, new ArrayList<>());
        });
        ranges.add(new SimRange(nextId++, 1, new RangeBounds(new byte[0], null), "a", 1, nextFence++));
        RangeCalls.Timer timer = new RangeCalls.Timer() {
            @Override
            public void execute(Runnable task) {
                tasks.add(task);
            }

            @Override
            public void later(long millis, Runnable task) {
                timers.add(new Timed(nanos + millis * 1_000_000, order++, task));
            }
        };
        CallPeers peers = new CallPeers() {
            @Override
            public boolean send(String storeId, RouteToken token, RangeCall call, Consumer<CallReply> answer) {
                if (call.deadline().hasPassed(nanos)) {
                    sentTooLate++;
                }
                Sent sent = new Sent(storeId, token, call, answer);
                wires.get(storeId).add(sent);
                open.get(storeId).add(sent);
                return true;
            }

            @Override
            public void refreshRoutes() {
                if (random.nextBoolean()) {
                    tellRoutes();
                }
            }
        };
        calls = new RangeCalls(peers, timer, () -> nanos, MAX_PENDING_BYTES);
    }

    // --- actions of the test

    void mutate(String key) {
        call(Kind.MUTATE, key, null, 8);
    }

    /** From now on mutations may be applied twice. */
    void repeating() {
        isRepeating = true;
    }

    /** The caller no longer wants what it has asked for until now. */
    void giveUpAll() {
        givenUp = number;
    }

    void mutateLarge(String key, long bytes) {
        call(Kind.MUTATE, key, null, (int) bytes);
    }

    void query(String key) {
        call(Kind.QUERY, key, null, 8);
    }

    void queryInterval(String key, String end) {
        call(Kind.QUERY_INTERVAL, key, end, 8);
    }

    /** Both reach the client after their deadline. */
    void callTooLate(String key) {
        call(Kind.MUTATE, key, null, 8, 0);
        call(Kind.QUERY, key, null, 8, 0);
    }

    private void call(Kind kind, String key, String end, int bytes) {
        call(kind, key, end, bytes, DEADLINE_MILLIS);
    }

    private void call(Kind kind, String key, String end, int bytes, long millisLeft) {
        long own = ++number;
        byte[] payload = ByteBuffer.allocate(Math.max(8, bytes)).putLong(own).array();
        RangeCall call = new RangeCall(
                own,
                kind,
                key.getBytes(UTF_8),
                end == null ? null : end.getBytes(UTF_8),
                payload,
                new Deadline(nanos + millisLeft * 1_000_000),
                isRepeating && kind == Kind.MUTATE,
                () -> own > givenUp);
        unanswered++;
        call.answer().whenComplete((value, failure) -> {
            unanswered--;
            if (failure == null) {
                done++;
                if (!call.isQuery()) {
                    acknowledged.put(own, key);
                    acknowledgedAt
                            .computeIfAbsent(key, fresh -> new ArrayList<>())
                            .add(new Acknowledged(applied(key).size(), own));
                }
            } else {
                failures.add(((RangeException) failure).reason());
            }
        });
        calls.call(call);
        runTasks();
    }

    void tellRoutes() {
        Map<String, List<ReplicaReport>> told = new HashMap<>();
        for (SimRange range : ranges) {
            told.computeIfAbsent(range.leader, node -> new ArrayList<>()).add(report(range));
        }
        RangeRoutes routes = RangeRoutes.of(told);
        tasks.add(() -> calls.routesChanged(routes));
        runTasks();
    }

    private static ReplicaReport report(SimRange range) {
        return new ReplicaReport(
                range.id,
                range.epoch,
                range.bounds,
                NODES,
                List.of(),
                range.leader,
                0,
                0,
                "",
                false,
                Optional.of(new ReplicaReport.Leading(
                        range.term, range.fence, 0, RangeLoad.UNKNOWN, Optional.empty(), "", 0)));
    }

    void moveLeader(int index) {
        SimRange range = ranges.get(index);
        endLeadership(range);
        range.leader = NODES.get(random.nextInt(NODES.size()));
        range.term++;
        range.fence = nextFence++;
    }

    /** Sealed calls are applied or lost without an answer; the others are refused. */
    private void endLeadership(SimRange range) {
        int sealed = range.taken.isEmpty() ? 0 : random.nextInt(range.taken.size() + 1);
        int surviving = sealed == 0 ? 0 : random.nextInt(sealed + 1);
        for (int i = 0; i < sealed; i++) {
            Sent sent = range.taken.remove();
            if (i < surviving) {
                apply(sent);
            }
            reply(sent, failed(Cause.TIMEOUT));
        }
        refuseTaken(range);
    }

    private void refuseTaken(SimRange range) {
        range.taken.forEach(sent -> reply(sent, failed(Cause.MOVED)));
        range.taken.clear();
    }

    private void settle(SimRange range) {
        while (!range.taken.isEmpty()) {
            applyNext(range);
        }
        range.fence = nextFence++;
    }

    void split(int index, String key) {
        SimRange range = ranges.get(index);
        byte[] at = key.getBytes(UTF_8);
        settle(range);
        range.epoch++;
        ranges.add(new SimRange(
                nextId++,
                range.epoch,
                new RangeBounds(at, range.bounds.end()),
                NODES.get(random.nextInt(NODES.size())),
                1,
                nextFence++));
        range.bounds = new RangeBounds(range.bounds.start(), at);
    }

    private void merge() {
        if (ranges.size() < 2) {
            return;
        }
        ranges.sort(Comparator.comparing((SimRange range) -> ByteBuffer.wrap(range.bounds.start())));
        int index = random.nextInt(ranges.size() - 1);
        SimRange left = ranges.get(index);
        SimRange right = ranges.remove(index + 1);
        settle(left);
        settle(right);
        left.epoch = Math.max(left.epoch, right.epoch) + 1;
        left.bounds = new RangeBounds(left.bounds.start(), right.bounds.end());
    }

    void breakConnections() {
        NODES.forEach(this::breakConnection);
    }

    private void breakConnection(String node) {
        wires.get(node).clear(); // they never arrive
        List<Sent> lost = new ArrayList<>(open.get(node));
        open.get(node).clear();
        for (Sent sent : lost) {
            if (!sent.isTold) {
                sent.isTold = true;
                sent.answer.accept(CallReply.failed(failed(Cause.TIMEOUT)));
            }
        }
        runTasks();
    }

    void deliverAll() {
        NODES.forEach(node -> {
            while (!wires.get(node).isEmpty()) {
                deliver(node);
            }
        });
    }

    private void deliver(String node) {
        Sent sent = wires.get(node).poll();
        if (sent == null) {
            return;
        }
        SimRange range = ranges.stream()
                .filter(each -> each.leader.equals(node) && each.token().equals(sent.token))
                .findFirst()
                .orElse(null);
        if (range == null) {
            refusals++;
            reply(sent, failed(Cause.MOVED));
        } else if (sent.call.isQuery()) {
            long last = lastApplied(new String(sent.call.key(), UTF_8));
            answers.add(() -> tell(
                    sent, CallReply.done(ByteBuffer.allocate(8).putLong(last).array())));
        } else {
            assertThat(range.bounds.contains(sent.call.key()))
                    .as("seed %d", seed)
                    .isTrue();
            range.taken.add(sent);
        }
    }

    void applyAll() {
        ranges.forEach(range -> {
            while (!range.taken.isEmpty()) {
                applyNext(range);
            }
        });
    }

    private void applyNext(SimRange range) {
        Sent sent = range.taken.remove();
        apply(sent);
        answers.add(() -> tell(sent, CallReply.done(new byte[0])));
    }

    private void apply(Sent sent) {
        applied.computeIfAbsent(new String(sent.call.key(), UTF_8), key -> new ArrayList<>())
                .add(ByteBuffer.wrap(sent.call.payload()).getLong());
    }

    private long lastApplied(String key) {
        List<Long> all = applied.getOrDefault(key, List.of());
        return all.isEmpty() ? 0 : all.get(all.size() - 1);
    }

    private void reply(Sent sent, RangeException failure) {
        answers.add(() -> tell(sent, CallReply.failed(failure)));
    }

    private void tell(Sent sent, CallReply reply) {
        open.get(sent.node).remove(sent);
        if (!sent.isTold) {
            sent.isTold = true;
            sent.answer.accept(reply);
        }
    }

    private static RangeException failed(Cause cause) {
        return new RangeException(cause, "simulated");
    }

    void advance(long millis) {
        long end = nanos + millis * 1_000_000;
        while (!timers.isEmpty() && timers.peek().atNanos() <= end) {
            Timed next = timers.remove();
            nanos = Math.max(nanos, next.atNanos());
            next.task().run();
            runTasks();
        }
        nanos = end;
    }

    /** Delays the client's thread: time passes, and no timer runs. */
    void stall(long millis) {
        nanos += millis * 1_000_000;
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    /** Runs one possible event. */
    void step() {
        String node = NODES.get(random.nextInt(NODES.size()));
        SimRange range = ranges.get(random.nextInt(ranges.size()));
        int what = random.nextInt(1_000);
        if (what < 170) { // fewer than can be answered, because calls in progress are lost when something breaks
            mutate(KEYS[random.nextInt(KEYS.length)]);
        } else if (what < 190) {
            query(KEYS[random.nextInt(KEYS.length)]);
        } else if (what < 470) {
            oneOf(NODES.stream().filter(each -> !wires.get(each).isEmpty()).toList())
                    .ifPresent(this::deliver);
        } else if (what < 710) {
            oneOf(ranges.stream().filter(each -> !each.taken.isEmpty()).toList())
                    .ifPresent(this::applyNext);
        } else if (what < 930) {
            answerOne();
        } else if (what < 950) {
            advance(random.nextInt(30));
        } else if (what < 965) {
            tellRoutes();
        } else if (what < 978) {
            moveLeader(ranges.indexOf(range));
        } else if (what < 988) {
            String key = KEYS[random.nextInt(KEYS.length)];
            byte[] at = key.getBytes(UTF_8);
            if (range.bounds.contains(at) && !Arrays.equals(at, range.bounds.start())) {
                split(ranges.indexOf(range), key);
            }
        } else if (what < 996) {
            merge();
        } else {
            breakConnection(node);
        }
        runTasks();
    }

    private <T> Optional<T> oneOf(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    /** The client no longer knows any leader. */
    void loseRanges() {
        tasks.add(() -> calls.routesChanged(RangeRoutes.NONE));
        ranges.clear();
        runTasks();
    }

    /** Suspends the node that was asked. */
    void loseAnswers() {
        answers.clear();
    }

    void answerAll() {
        while (!answers.isEmpty()) {
            answerOne();
        }
    }

    private void answerOne() {
        if (!answers.isEmpty()) {
            answers.remove(random.nextInt(answers.size())).run();
            runTasks();
        }
    }

    /** Ends all failures, and lets everything end that can. */
    void calm() {
        for (int i = 0; i < 200; i++) {
            tellRoutes();
            deliverAll();
            applyAll();
            answerAll();
            advance(20);
        }
    }

    // --- checks

    void assertOrderOfEachKey() {
        applied.forEach((key, numbers) -> {
            assertThat(numbers).as("key %s, seed %d", key, seed).isSorted().doesNotHaveDuplicates();
        });
        acknowledged.forEach((own, key) -> assertThat(applied.get(key))
                .as("acknowledged, key %s, seed %d", key, seed)
                .contains(own));
    }

    /** Acknowledged calls are applied, and no earlier call of a key is applied after a later one. */
    void assertNothingAcknowledgedIsReplacedByEarlier() {
        acknowledgedAt.forEach((key, all) -> all.forEach(each -> {
            List<Long> numbers = applied(key);
            assertThat(numbers.subList(0, each.applied()))
                    .as("acknowledged, key %s, seed %d", key, seed)
                    .contains(each.number());
            assertThat(numbers.subList(each.applied(), numbers.size()))
                    .as("behind %d, key %s, seed %d", each.number(), key, seed)
                    .allMatch(later -> later >= each.number());
        }));
    }

    List<Long> applied(String key) {
        return applied.getOrDefault(key, List.of());
    }

    List<Cause> failures() {
        return failures;
    }

    long unanswered() {
        return unanswered;
    }

    long done() {
        return done;
    }

    long refusals() {
        return refusals;
    }

    /** Number of calls that were sent after their deadline. */
    long sentTooLate() {
        return sentTooLate;
    }
}
