package io.godwit.kv.peers;

import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreRanges;
import io.godwit.kv.wire.DescriptionMessage;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.RangeName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
 * How replicas come to this node and leave it, besides those that are made with a store or by a split.
 *
 * <p><b>Coming.</b> The leader of a range asks this node ({@code CREATE_REPLICA}) before it makes it a member. Or a
 * group that this node lacks calls it, for example after this node has received a snapshot of a range and so never saw
 * the split that made the group; then this node asks the caller about the group ({@code DESCRIBE_RANGE}). A request
 * with an epoch below that of the tombstone is refused, because it was overtaken by the removal; so is a request for a
 * replica that a late split is making. An empty replica that a late split finds is replaced by one with the data
 * ({@code Rebirth}, ADR 106). Steps, and what a crash leaves:
 *
 * <ol>
 *   <li>The directory {@code range-N} is emptied and gets an empty database, made durable; the group's log is emptied
 *       if it is not empty. A crash leaves files that nobody opens; the next attempt empties them.
 *   <li>The register gets the descriptor of the range as it was created, and the epoch at which this node joined. From
 *       here on the replica exists.
 *   <li>{@code STORES} gets the name of the store.
 *   <li>The group is started without voters. It takes the log from its very beginning, if the leader still has it, or a
 *       snapshot. Until then it does not vote and, having no voters, does not stand for election: an empty state is
 *       never elected.
 * </ol>
 *
 * <p><b>Going.</b> A replica is removed when the leader of its range reports an epoch above that at which the replica
 * joined, and this node is no longer a member. The leader changes the group before it reports, so nobody relies on the
 * replica by then. A replica is also removed when another node says that the range has ended because it was merged into
 * its neighbour while this node was away ({@code HAS_ENDED}, {@link EndedRanges}).
 *
 * <ol>
 *   <li>In the register, one write replaces the descriptor by a tombstone with that epoch. From here on the replica
 *       does not exist; a crash leaves files and a log, which the next start deletes before it opens the store.
 *   <li>The leader of the coprocessor, if there is one, the group and the database are stopped.
 *   <li>The directory is deleted, then the group's log, its term and its vote.
 * </ol>
 *
 * <p>The tombstone stays. A replayed split makes no replica where there is one already or where there is a tombstone.
 *
 * <p><b>Being replaced.</b> If a replica has stopped after a fault of its own, at the start or later, its node's
 * reports say so, and whether it may be made again here ({@link OwnReport}). It stays as it is until the range's leader
 * has removed it from the members ({@code ReplicaCount} of the balancers, after a grace period, while the majority
 * runs; or an operator). Then it goes as above, except that the tombstone says that its files are kept: the third step,
 * or the next start after a crash, moves the directory to {@code damaged/}. Then it comes as above, empty, with no
 * earlier vote, and takes a snapshot. If the new replica stops too while the files of the first are still there, the
 * node does not offer it again, because somebody should look at the disk.
 *
 * <p>All work is done on I/O threads; {@link StoreRanges} runs only one such operation per range at a time.
 */
public final class Replicas {
    private static final Logger LOG = LoggerFactory.getLogger(Replicas.class);
    /**
     * How long to wait for a split: a replica that applies it makes the child from its own data, which is quicker than
     * a copy.
     */
    private static final long SPLIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long TIMEOUT_MILLIS = 10_000;
    private static final int MAX_KEY_BYTES = 1 << 20;

    private final String self;
    private final NodeRpc rpc;
    private final Function<String, @Nullable StoreRanges> stores;
    private final Supplier<? extends Collection<StoreRanges>> open;
    private final Executor io;
    private final EndedRanges ended;

    private final Map<String, Missing> missing = new ConcurrentHashMap<>();
    /** Groups that are being removed, because several reports may ask for it. */
    private final Set<String> going = ConcurrentHashMap.newKeySet();

    /** A group that calls this node and is not here. */
    private record Missing(long sinceNanos, long lastCallNanos, long askedNanos) {}

    /**
     * @param stores the open store of a name; null if there is none
     * @param open all open stores
     * @param nodes the store ids of all nodes of the cluster
     * @param io runs tasks that may block
     */
    public Replicas(
            String self,
            NodeRpc rpc,
            Function<String, @Nullable StoreRanges> stores,
            Supplier<? extends Collection<StoreRanges>> open,
            Supplier<? extends Collection<String>> nodes,
            Executor io) {
        this.self = self;
        this.rpc = rpc;
        this.stores = stores;
        this.open = open;
        this.io = io;
        this.ended = new EndedRanges(self, nodes, System::nanoTime, this::askWhetherEnded, this::leaveEnded);
    }

    /** Begins to answer the questions of other nodes. */
    public void start() {
        rpc.on(QuestionCase.CREATE_REPLICA, question -> {
            create(Description.of(question.getCreateReplica()), question.getAsker());
            return CompletableFuture.completedFuture(NodeRpc.DONE);
        });
        rpc.on(QuestionCase.HAS_ENDED, question -> {
            RangeName name = question.getHasEnded();
            StoreRanges ranges = stores.apply(name.getStore());
            boolean hasEnded = ranges != null && ranges.hasEnded(name.getRangeId());
            return CompletableFuture.completedFuture(
                    NodeAnswer.newBuilder().setHasEnded(hasEnded).build());
        });
        rpc.on(QuestionCase.DESCRIBE_RANGE, question -> {
            RangeName name = question.getDescribeRange();
            Description description = describeTo(question.getAsker(), name.getStore(), name.getRangeId());
            return CompletableFuture.completedFuture(NodeAnswer.newBuilder()
                    .setDescription(description.message())
                    .build());
        });
    }

    /**
     * What a node needs to know to make a replica.
     *
     * @param descriptor of the range as it was created
     * @param epoch the present epoch of the range
     */
    record Description(RangeDescriptor descriptor, long epoch) {
        DescriptionMessage message() {
            DescriptionMessage.Builder out = DescriptionMessage.newBuilder()
                    .setEpoch(epoch)
                    .setStore(descriptor.store())
                    .setRangeId(descriptor.id())
                    .setCreatedEpoch(descriptor.epoch())
                    .setStart(WireBytes.wrap(descriptor.bounds().start()))
                    .addAllVoters(descriptor.voters())
                    .setJoinedEpoch(descriptor.joinedEpoch());
            byte @Nullable [] end = descriptor.bounds().end();
            if (end != null) {
                out.setEnd(WireBytes.wrap(end));
            }
            return out.build();
        }

        /** @throws IOException if a key is too long */
        static Description of(DescriptionMessage in) throws IOException {
            WireBytes.requireAtMost(in.getStart().size(), MAX_KEY_BYTES, "bytes of the start of a range");
            WireBytes.requireAtMost(in.getEnd().size(), MAX_KEY_BYTES, "bytes of the end of a range");
            RangeDescriptor descriptor = new RangeDescriptor(
                    in.getStore(),
                    in.getRangeId(),
                    in.getCreatedEpoch(),
                    WireBytes.bounds(in.getStart(), in.hasEnd(), in.getEnd()),
                    in.getVotersList(),
                    in.getJoinedEpoch());
            return new Description(descriptor, in.getEpoch());
        }
    }

    // --- on the leader

    /** Asks a store to make an empty replica of a range that this node leads. Fails with an {@link IOException}. */
    public CompletableFuture<NodeAnswer> createOn(String storeId, String store, long rangeId) {
        try {
            DescriptionMessage wanted = description(store, rangeId).message();
            return rpc.ask(
                    storeId, NodeQuestion.newBuilder().setCreateReplica(wanted), OutcomeCase.DONE, TIMEOUT_MILLIS);
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
            // the asker does not count it as a member, but the report that says so has not come yet
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

    /** A group that is not here has called this node. Called on a thread that must not be blocked. */
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
        NodeQuestion.Builder question = NodeQuestion.newBuilder().setDescribeRange(name(ranges.name(), rangeId));
        rpc.ask(caller, question, OutcomeCase.DESCRIPTION, TIMEOUT_MILLIS)
                .thenAcceptAsync(answer -> createAsMember(answer, caller), io)
                .exceptionally(failure -> {
                    LOG.info("cannot join a group that called group={} cause={}", groupId, failure.getMessage());
                    return null;
                });
    }

    private static RangeName name(String store, long rangeId) {
        return RangeName.newBuilder().setStore(store).setRangeId(rangeId).build();
    }

    private void createAsMember(NodeAnswer answer, String caller) {
        try {
            Description description = Description.of(answer.getDescription());
            StoreRanges ranges = stores.apply(description.descriptor().store());
            // at the caller's epoch this node is a member; at the tombstone's it was not
            if (ranges != null
                    && description.epoch()
                            > ranges.tombstoneOf(description.descriptor().id())) {
                // joined at one epoch less, so that a report of this epoch, with this node in it, does not remove the
                // replica
                create(new Description(description.descriptor(), description.epoch()), caller);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- going

    /** See {@link EndedRanges}. Called at intervals on an I/O thread. */
    void lookForEnded() {
        List<EndedRanges.Replica> here = new ArrayList<>();
        for (StoreRanges ranges : open.get()) {
            for (StoreRanges.Unopened closed : ranges.unopened()) {
                RangeDescriptor descriptor = closed.descriptor();
                here.add(new EndedRanges.Replica(
                        ranges.name(), descriptor.id(), descriptor.groupId(), closed.voters(), false, false));
            }
            for (Range range : ranges.all()) {
                List<String> voters = range.state().members().voters();
                boolean hasLeader = !range.leader().isEmpty();
                here.add(new EndedRanges.Replica(ranges.name(), range.id(), range.groupId(), voters, true, hasLeader));
            }
        }
        ended.look(here);
    }

    private CompletableFuture<Boolean> askWhetherEnded(String storeId, EndedRanges.Replica replica) {
        NodeQuestion.Builder question = NodeQuestion.newBuilder().setHasEnded(name(replica.store(), replica.rangeId()));
        return rpc.ask(storeId, question, OutcomeCase.HAS_ENDED, TIMEOUT_MILLIS).thenApply(NodeAnswer::getHasEnded);
    }

    private void leaveEnded(EndedRanges.Replica replica) {
        StoreRanges ranges = stores.apply(replica.store());
        if (ranges != null) {
            io.execute(() -> leave(ranges, replica.rangeId(), replica.groupId(), Long.MAX_VALUE));
        }
    }

    /** Handles a report; it may show that replicas here must be removed. Any thread; hands over. */
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

    /** Whether a replica is being removed, or will be since {@link #told}. For tests. */
    public boolean isAnyGoing() {
        return !going.isEmpty();
    }

    /**
     * Removes a replica, unless its range is being changed: then the reported members may be older than the group's
     * configuration.
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
            going.remove(descriptor.groupId()); // the report is out of date
            return;
        }
        io.execute(() -> leave(ranges, led.rangeId(), descriptor.groupId(), led.epoch()));
    }

    private void leave(StoreRanges ranges, long rangeId, String groupId, long epoch) {
        LOG.info("replica given up range={} epoch={}", groupId, epoch);
        CompletableFuture<Void> left;
        try {
            left = ranges.leave(rangeId, epoch);
        } catch (RuntimeException e) { // outermost frame; nothing was done
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
