package io.godwit.kv.peers;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.NodeRpc.Question;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreRanges;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How replicas come to this node and go from it, beside those that are born with a store or a split.
 *
 * <p><b>Coming.</b> The leader of a range asks before it makes this node a member ({@code CREATE_REPLICA}); or this
 * node is called by a group that it lacks, as when it was given a snapshot of a range and so never saw the split that
 * made the group, and asks the caller what that is ({@code DESCRIBE_RANGE}). Refused are askers whose epoch is before
 * that of the tombstone: they ask for what has been undone since. Then, with what a crash leaves:
 *
 * <ol>
 *   <li>The directory {@code range-N}, emptied, and in it an empty database, made durable; the group's log, which
 *       should be empty, is made so. A crash leaves files that nobody opens; the next attempt empties them.
 *   <li>The register: the descriptor of the range as it came into being, and the epoch at which this node joined. From
 *       here on the replica exists.
 *   <li>{@code STORES} names the store.
 *   <li>The group is started without voters. It takes the log from its very beginning, if the leader still has it, or a
 *       snapshot. Until it has either it does not vote, and having no voters it does not stand for election: an empty
 *       state is never chosen.
 * </ol>
 *
 * <p><b>Going.</b> When the leader of a range tells of an epoch above that at which this replica joined, and this node
 * is no member by then. The leader has changed the group before it tells, so nobody counts on this replica any more. Or
 * when another member says that the range has ended, having been merged into its neighbour while this node was away
 * ({@code HAS_ENDED}).
 *
 * <ol>
 *   <li>The register: the descriptor is replaced, in one step, by a tombstone with that epoch. From here on the replica
 *       does not exist; a crash leaves files and a log, which the next start deletes before it opens the store.
 *   <li>The leader of the coprocessor, if there is one, the group and the database are stopped.
 *   <li>The directory is deleted, then the group's log, its term and its vote.
 * </ol>
 *
 * <p>The tombstone stays. A split that is replayed makes no replica where there is one, nor where there is a tombstone.
 *
 * <p><b>Being replaced.</b> A replica that has stopped after a fault of its own, at the start or later, tells so in its
 * node's reports, and whether it may be begun anew here ({@link OwnReport}). It stays as it is until the range's leader
 * has made it no member ({@code ReplicaCount} of the balancers, after a grace period, while the majority runs; or an
 * operator). Then it goes as above, but that the tombstone says that its files are kept: the third step, or the next
 * start after a crash, moves the directory to {@code damaged/} instead. Then it comes as above, blank, under no vote
 * that it could have given before, and takes a snapshot. If that one stops as well while the first one's files are
 * still there, the node does not offer it again: the disk is for somebody to look at.
 *
 * <p>All work is done on I/O threads; {@link StoreRanges} keeps two of it for one range apart.
 */
public final class Replicas {
    private static final Logger LOG = LoggerFactory.getLogger(Replicas.class);
    /** A replica that applies the split makes the child out of what it has, which is quicker than copying. */
    private static final long SPLIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long LEADERLESS_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long TIMEOUT_MILLIS = 10_000;

    private final String self;
    private final NodeRpc rpc;
    private final Function<String, @Nullable StoreRanges> stores;
    private final Supplier<? extends Collection<StoreRanges>> open;
    private final Executor io;
    /** Groups here that know no leader, and since when, in nanoseconds. */
    private final Map<String, Long> leaderlessSince = new ConcurrentHashMap<>();

    private final Map<String, Missing> missing = new ConcurrentHashMap<>();
    /** Groups that are being given up: one report after the other says so. */
    private final Set<String> going = ConcurrentHashMap.newKeySet();

    /** A group that calls and is not here. */
    private record Missing(long sinceNanos, long lastCallNanos, long askedNanos) {}

    /**
     * @param stores the open store of a name; null when there is none
     * @param open all of them
     * @param io runs what may block
     */
    public Replicas(
            String self,
            NodeRpc rpc,
            Function<String, @Nullable StoreRanges> stores,
            Supplier<? extends Collection<StoreRanges>> open,
            Executor io) {
        this.self = self;
        this.rpc = rpc;
        this.stores = stores;
        this.open = open;
        this.io = io;
    }

    /** Answers the questions of other nodes, from now on. */
    public void start() {
        rpc.on(Question.CREATE_REPLICA, (asker, content) -> {
            create(Description.decode(content), asker);
            return CompletableFuture.completedFuture(new byte[0]);
        });
        rpc.on(Question.HAS_ENDED, (asker, content) -> {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
                StoreRanges ranges = stores.apply(in.readUTF());
                boolean hasEnded = ranges != null && ranges.hasEnded(in.readLong());
                return CompletableFuture.completedFuture(new byte[] {(byte) (hasEnded ? 1 : 0)});
            }
        });
        rpc.on(Question.DESCRIBE_RANGE, (asker, content) -> {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
                return CompletableFuture.completedFuture(
                        describeTo(asker, in.readUTF(), in.readLong()).encode());
            }
        });
    }

    /**
     * What a node needs to know to make a replica.
     *
     * @param descriptor of the range as it came into being
     * @param epoch that it has now
     */
    record Description(RangeDescriptor descriptor, long epoch) {
        public byte[] encode() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeLong(epoch);
                out.write(descriptor.encode());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        public static Description decode(byte[] encoded) throws IOException {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
                long epoch = in.readLong();
                return new Description(RangeDescriptor.decode(in.readAllBytes()), epoch);
            }
        }
    }

    // --- on the leader

    /** Has a store make a blank replica of a range that this node leads. Fails with an {@link IOException}. */
    public CompletableFuture<byte[]> createOn(String storeId, String store, long rangeId) {
        try {
            return rpc.ask(
                    storeId,
                    Question.CREATE_REPLICA,
                    description(store, rangeId).encode(),
                    TIMEOUT_MILLIS);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Description description(String store, long rangeId) throws IOException {
        StoreRanges ranges = stores.apply(store);
        Range range = ranges == null ? null : ranges.find(rangeId);
        RangeDescriptor descriptor = ranges == null ? null : ranges.descriptor(rangeId);
        if (range == null || descriptor == null) {
            throw new IOException("no replica of " + store + "-" + rangeId + " here");
        }
        return new Description(descriptor, range.state().epoch());
    }

    private Description describeTo(String asker, String store, long rangeId) throws IOException {
        Description description = description(store, rangeId);
        StoreRanges ranges = stores.apply(store);
        Range range = ranges == null ? null : ranges.find(rangeId);
        RangeState state = range == null ? null : range.state();
        if (state == null
                || !state.members().voters().contains(asker)
                        && !state.members().learners().contains(asker)) {
            throw new IOException(asker + " is no member of " + store + "-" + rangeId);
        }
        return description;
    }

    // --- coming

    private void create(Description wanted, String asker) throws IOException {
        RangeDescriptor descriptor = wanted.descriptor();
        StoreRanges ranges = stores.apply(descriptor.store());
        if (ranges == null) {
            throw new IOException("store " + descriptor.store() + " is not open here");
        }
        long tombstone = ranges.tombstoneOf(descriptor.id());
        if (ranges.find(descriptor.id()) == null && wanted.epoch() < tombstone) {
            throw new IOException(descriptor.groupId() + " of epoch " + wanted.epoch()
                    + " is not wanted: it was given up here at epoch " + tombstone);
        }
        LOG.info("replica wanted range={} epoch={} asker={}", descriptor.groupId(), wanted.epoch(), asker);
        RangeDescriptor here = ranges.descriptor(descriptor.id());
        if (here != null
                && wanted.epoch() > here.joinedEpoch()
                && !ranges.faultOf(descriptor.id()).isEmpty()) {
            // whoever asks does not count it as a member, and the report that says so has not come yet
            awaitLeft(ranges.leave(descriptor.id(), wanted.epoch()));
        }
        ranges.join(descriptor.joinedAt(wanted.epoch()));
    }

    private static void awaitLeft(CompletableFuture<Void> left) throws IOException {
        try {
            left.join();
        } catch (CompletionException e) {
            throw new IOException("replica not deleted", e.getCause());
        }
    }

    /** A group that is not here calls; on a thread that must not be blocked. */
    public void called(String groupId, String caller) {
        long now = System.nanoTime();
        missing.values().removeIf(known -> now - known.lastCallNanos() > FORGET_NANOS);
        Missing known = missing.merge(
                groupId,
                new Missing(now, now, now - ASK_AGAIN_NANOS),
                (before, fresh) -> new Missing(before.sinceNanos(), now, before.askedNanos()));
        if (now - known.sinceNanos() < SPLIT_NANOS || now - known.askedNanos() < ASK_AGAIN_NANOS) {
            return;
        }
        int dash = groupId.lastIndexOf('-');
        StoreRanges ranges = dash < 0 ? null : stores.apply(groupId.substring(0, dash));
        if (ranges == null || !groupId.substring(dash + 1).matches("[0-9]{1,18}")) {
            return;
        }
        missing.put(groupId, new Missing(known.sinceNanos(), now, now));
        long rangeId = Long.parseLong(groupId.substring(dash + 1));
        if (ranges.descriptor(rangeId) != null) {
            return; // it has stopped after a fault, or is being started
        }
        rpc.ask(caller, Question.DESCRIBE_RANGE, question(ranges.name(), rangeId), TIMEOUT_MILLIS)
                .thenAcceptAsync(answer -> createAsMember(answer, caller), io)
                .exceptionally(failure -> {
                    LOG.info("group that calls is not joined group={} cause={}", groupId, failure.getMessage());
                    return null;
                });
    }

    private static byte[] question(String store, long rangeId) {
        ByteArrayOutputStream question = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(question)) {
            out.writeUTF(store);
            out.writeLong(rangeId);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return question.toByteArray();
    }

    private void createAsMember(byte[] answer, String caller) {
        try {
            Description description = Description.decode(answer);
            StoreRanges ranges = stores.apply(description.descriptor().store());
            // the caller counts this node in at its epoch; at that of the tombstone it was out
            if (ranges != null
                    && description.epoch()
                            > ranges.tombstoneOf(description.descriptor().id())) {
                // joined one before: a report of that very epoch, with this node in it, must not end what it confirms
                create(new Description(description.descriptor(), description.epoch()), caller);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- going

    /**
     * Asks the other members about groups that have had no leader for a long time: a node that was away while a range
     * was merged into another, and its replicas were deleted elsewhere, hears of it from nobody. Every now and then; on
     * an I/O thread.
     */
    void lookForEnded() {
        long now = System.nanoTime();
        for (StoreRanges ranges : open.get()) {
            for (StoreRanges.Unopened closed : ranges.unopened()) {
                closed.voters().stream()
                        .filter(voter -> !voter.equals(self))
                        .forEach(voter -> askWhetherEnded(
                                voter,
                                ranges,
                                closed.descriptor().id(),
                                closed.descriptor().groupId()));
            }
            for (Range range : ranges.all()) {
                if (!range.leader().isEmpty()) {
                    leaderlessSince.remove(range.groupId());
                } else if (now - leaderlessSince.computeIfAbsent(range.groupId(), fresh -> now) > LEADERLESS_NANOS) {
                    range.state().members().voters().stream()
                            .filter(voter -> !voter.equals(self))
                            .forEach(voter -> askWhetherEnded(voter, ranges, range.id(), range.groupId()));
                }
            }
        }
    }

    private void askWhetherEnded(String voter, StoreRanges ranges, long rangeId, String groupId) {
        rpc.ask(voter, Question.HAS_ENDED, question(ranges.name(), rangeId), TIMEOUT_MILLIS)
                .thenAcceptAsync(
                        answer -> {
                            if (answer.length > 0 && answer[0] != 0) {
                                leave(ranges, rangeId, groupId, Long.MAX_VALUE);
                            }
                        },
                        io)
                .exceptionally(failure -> {
                    LOG.debug("not known whether the range has ended range={}", groupId, failure);
                    return null;
                });
    }

    /** What a node tells of its leaders may end replicas here. Any thread; hands over. */
    public void told(NodeReport report) {
        report.replicas().forEach((store, replicas) -> {
            StoreRanges ranges = stores.apply(store);
            if (ranges != null) {
                replicas.stream()
                        .filter(replica -> replica.leading().isPresent() && !replica.hasReplicaOn(self))
                        .forEach(replica -> giveUp(ranges, replica));
            }
        });
    }

    /** Whether a replica is about to be given up, since {@link #told}, or is being given up. For tests. */
    public boolean isAnyGoing() {
        return !going.isEmpty();
    }

    /**
     * Not while something is being done to the range: what it says of the members may be older than what the group goes
     * by.
     */
    private void giveUp(StoreRanges ranges, ReplicaReport led) {
        RangeDescriptor descriptor = ranges.descriptor(led.rangeId());
        boolean isSettled =
                led.leading().filter(leading -> leading.change().isEmpty()).isPresent();
        if (descriptor == null
                || !isSettled
                || led.epoch() <= descriptor.joinedEpoch()
                || !going.add(descriptor.groupId())) {
            return;
        }
        Range range = ranges.find(led.rangeId());
        if (range != null && range.state().epoch() > led.epoch()) {
            going.remove(descriptor.groupId()); // whoever told is behind
            return;
        }
        io.execute(() -> leave(ranges, led.rangeId(), descriptor.groupId(), led.epoch()));
    }

    private void leave(StoreRanges ranges, long rangeId, String groupId, long epoch) {
        LOG.info("replica given up range={} epoch={}", groupId, epoch);
        CompletableFuture<Void> left;
        try {
            left = ranges.leave(rangeId, epoch);
        } catch (RuntimeException e) { // the outermost frame; nothing was done
            left = CompletableFuture.failedFuture(e);
        }
        left.whenComplete((done, failure) -> {
            going.remove(groupId);
            if (failure != null) { // the next start deletes what is left
                LOG.error("replica not deleted range={}", groupId, failure);
            }
        });
    }
}
