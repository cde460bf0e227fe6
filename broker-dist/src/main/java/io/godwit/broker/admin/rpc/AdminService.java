package io.godwit.broker.admin.rpc;

import io.godwit.broker.release.Release;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.common.failure.Failures;
import io.godwit.kv.backup.RangeBackups;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.NodeOperations.DrainStatus;
import io.godwit.kv.operate.NodeOperations.NodeInfo;
import io.godwit.kv.operate.NodeOperations.RecoveryResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.Key;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what operators ask of this node, and forwards requests for other nodes. It serves programs on this
 * machine and programs with a certificate of the cluster. Logs every change. Called on event loops, but works on
 * threads of its own.
 */
public final class AdminService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminService.class);
    private static final long FORWARD_SECONDS = 10;
    private static final int MAX_COPIES = 4;
    /** Bound of requests that wait for the thread. Operators are few, and each waits for an answer. */
    private static final int MAX_WAITING = 256;

    private static final long IDLE_SECONDS = 10;
    private static final String BY_OPERATOR = "an operator asked for it";

    private static final Status BUSY =
            Status.RESOURCE_EXHAUSTED.withDescription(MAX_WAITING + " requests of operators wait already");

    private static final Status STOPPING = Status.UNAVAILABLE.withDescription("the node is stopping");

    /** The channels to other members. */
    public interface Peers {
        /** Null for this node and for an unknown member. */
        @Nullable
        Channel to(String nodeId);
    }

    private final NodeOperations node;
    private final RangeBackups backups;
    private final Peers peers;
    private final NodeFacts facts;
    /** The thread that handles requests, since they may write to the disk. It exists only while there are requests. */
    private final ExecutorService requests = threads(1, "admin", new LinkedBlockingQueue<>(MAX_WAITING));
    /** The threads that copy ranges, or relay copies of other nodes. They exist only while there are copies. */
    private final ExecutorService copies = threads(MAX_COPIES, "admin-copy", new SynchronousQueue<>());

    private final LimitedPauses limited = new LimitedPauses(System::nanoTime, LimitedPauses.REST);

    /** @param peers has no channels on a node without a cluster */
    public AdminService(NodeOperations node, RangeBackups backups, Peers peers, NodeFacts facts) {
        this.node = node;
        this.backups = backups;
        this.peers = peers;
        this.facts = facts;
    }

    public ServerServiceDefinition definition() {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(AdminMethods.SERVICE);
        add(service, AdminMethods.NODES, this::nodes);
        add(service, AdminMethods.RANGES, this::ranges);
        add(service, AdminMethods.CARRY_OUT, this::carryOut);
        add(service, AdminMethods.DRAIN, this::drain);
        add(service, AdminMethods.DRAIN_STATE, this::drainState);
        add(service, AdminMethods.FORGET, this::forget);
        add(service, AdminMethods.WANT_VOTERS, this::wantVoters);
        add(service, AdminMethods.RECOVER, this::recover);
        add(service, AdminMethods.BALANCERS, this::balancers);
        add(service, AdminMethods.CHANGE_BALANCER, this::changeBalancer);
        add(service, AdminMethods.CONFIGURATION, this::configuration);
        add(service, AdminMethods.PLUGINS, this::plugins);
        service.addMethod(
                AdminMethods.COPY_RANGE.toBuilder(BytesMarshaller.INSTANCE, BytesMarshaller.INSTANCE)
                        .build(),
                ServerCalls.asyncServerStreamingCall(this::copyRange));
        service.addMethod(
                AdminMethods.COPY_STORES.toBuilder(BytesMarshaller.INSTANCE, BytesMarshaller.INSTANCE)
                        .build(),
                ServerCalls.asyncServerStreamingCall(this::copyStores));
        return service.build();
    }

    private static ExecutorService threads(int most, String name, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(most, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private interface Answering<Q, A> {
        CompletableFuture<A> answer(Q request);
    }

    /** Parses the request here: gRPC would not tell the caller what is wrong with it. */
    private <Q, A> void add(
            ServerServiceDefinition.Builder service, MethodDescriptor<Q, A> method, Answering<Q, A> answering) {
        service.addMethod(
                method.toBuilder(BytesMarshaller.INSTANCE, method.getResponseMarshaller())
                        .build(),
                ServerCalls.asyncUnaryCall((bytes, caller) -> {
                    try {
                        requests.execute(() -> answer(method, answering, bytes, caller));
                    } catch (RejectedExecutionException e) {
                        Status refused = requests.isShutdown() ? STOPPING : BUSY;
                        caller.onError(refused.asRuntimeException());
                    }
                }));
    }

    private static <Q, A> void answer(
            MethodDescriptor<Q, A> method, Answering<Q, A> answering, byte[] bytes, StreamObserver<A> caller) {
        CompletableFuture<A> result;
        try {
            result = answering.answer(method.parseRequest(new ByteArrayInputStream(bytes)));
        } catch (RuntimeException e) { // outermost frame of a request
            result = CompletableFuture.failedFuture(e);
        }
        result.whenComplete((value, failure) -> {
            if (failure == null) {
                caller.onNext(value);
                caller.onCompleted();
            } else {
                caller.onError(statusOf(failure).asRuntimeException());
            }
        });
    }

    private static Status statusOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StatusRuntimeException || cause instanceof StatusException) {
            return Status.fromThrowable(cause);
        }
        if (cause instanceof IllegalArgumentException) {
            return Status.INVALID_ARGUMENT.withDescription(cause.getMessage());
        }
        LOG.warn("operator's request failed", cause);
        return Status.INTERNAL.withDescription(cause.toString());
    }

    private CompletableFuture<Messages.Nodes> nodes(Messages.Nothing request) {
        return CompletableFuture.completedFuture(new Messages.Nodes(
                node.clusterId(),
                node.self(),
                node.stores(),
                node.nodes().stream().map(this::line).toList(),
                wantedVoters()));
    }

    private Map<String, Integer> wantedVoters() {
        Map<String, Integer> wanted = new TreeMap<>();
        node.stores().forEach(name -> node.store(name).ifPresent(store -> wanted.put(name, store.wantedVoters())));
        return wanted;
    }

    private Messages.Node line(NodeInfo info) {
        DrainStatus has = node.drainStatus(info.storeId());
        return new Messages.Node(
                info.storeId(),
                info.incarnation(),
                info.rpc(),
                info.version().isEmpty() && info.storeId().equals(node.self())
                        ? Release.version() // a node without a cluster announces no version
                        : info.version(),
                info.zone(),
                info.liveness(),
                info.isDraining(),
                info.cores(),
                info.cpuLoad(),
                info.diskTotalBytes(),
                info.diskFreeBytes(),
                has.leaders(),
                has.replicas(),
                info.isForgotten(),
                List.of());
    }

    private CompletableFuture<Messages.Ranges> ranges(Messages.OfStore request) {
        return CompletableFuture.completedFuture(new Messages.Ranges(
                request.store(),
                store(request.store()).ranges().stream().map(Messages.Range::of).toList(),
                store(request.store()).wantedVoters()));
    }

    private StoreOperations store(String name) {
        return node.store(name)
                .orElseThrow(() -> Status.NOT_FOUND
                        .withDescription("there is no store \"" + name + "\", only " + node.stores())
                        .asRuntimeException());
    }

    private CompletableFuture<Messages.Result> carryOut(Messages.Action request) {
        StoreOperations store = store(request.store());
        if (store.ranges().stream().noneMatch(range -> range.id() == request.rangeId())) {
            throw Status.NOT_FOUND
                    .withDescription("store " + request.store() + " has no range " + request.rangeId())
                    .asRuntimeException();
        }
        BalanceAction action = action(request);
        LOG.info("operator asks for action store={} action={}", request.store(), action);
        Deadline deadline = Deadline.afterMillis(request.timeoutMillis());
        return store.carryOut(action, deadline).thenApply(result -> {
            LOG.info("operator's action ended store={} action={} result={}", request.store(), action, result);
            return Messages.Result.of(result);
        });
    }

    private static BalanceAction action(Messages.Action request) {
        long range = request.rangeId();
        long epoch = request.epoch();
        return switch (request.kind()) {
            case SPLIT -> new BalanceAction.Split(range, epoch, key(request.key()), BY_OPERATOR);
            case MERGE -> new BalanceAction.Merge(range, epoch, request.rightId(), request.rightEpoch(), BY_OPERATOR);
            case ADD_LEARNER -> new ChangeReplica(range, epoch, Step.ADD_LEARNER, request.to(), BY_OPERATOR);
            case PROMOTE -> new ChangeReplica(range, epoch, Step.PROMOTE, request.to(), BY_OPERATOR);
            case DEMOTE -> new ChangeReplica(range, epoch, Step.DEMOTE, request.to(), BY_OPERATOR);
            case REMOVE -> new ChangeReplica(range, epoch, Step.REMOVE, request.to(), BY_OPERATOR);
            case MOVE_LEADER -> new BalanceAction.MoveLeader(range, epoch, request.to(), BY_OPERATOR);
        };
    }

    private static Optional<Key> key(@Nullable String hex) {
        return hex == null
                ? Optional.empty()
                : Optional.of(Key.of(HexFormat.of().parseHex(hex)));
    }

    private CompletableFuture<Messages.Result> drain(Messages.Drain request) {
        LOG.info(
                "operator drains node={} isToGo={} mayReduce={}",
                request.node(),
                request.isToGo(),
                request.mayReduce());
        return node.drain(request.node(), request.isToGo(), request.mayReduce()).thenApply(result -> {
            LOG.info("operator's drain answered node={} result={}", request.node(), result);
            return Messages.Result.of(result);
        });
    }

    private CompletableFuture<Messages.DrainState> drainState(Messages.OfNode request) {
        DrainStatus status = node.drainStatus(request.node());
        return CompletableFuture.completedFuture(new Messages.DrainState(
                request.node(),
                status.isDraining(),
                status.leaders(),
                status.replicas(),
                status.isSafeToStop(),
                status.unclear()));
    }

    private CompletableFuture<Messages.Result> forget(Messages.OfNode request) {
        LOG.warn("operator forgets node={}", request.node());
        return node.forget(request.node()).thenApply(result -> {
            LOG.warn("operator's forget answered node={} result={}", request.node(), result);
            return Messages.Result.of(result);
        });
    }

    private CompletableFuture<Messages.Result> wantVoters(Messages.WantVoters request) {
        LOG.info(
                "operator wants voters store={} count={} mayReduce={}",
                request.store(),
                request.count(),
                request.mayReduce());
        return store(request.store())
                .wantVoters(request.count(), request.mayReduce())
                .thenApply(result -> {
                    LOG.info("operator's voters answered store={} result={}", request.store(), result);
                    return Messages.Result.of(result);
                });
    }

    private CompletableFuture<Messages.Recovery> recover(Messages.Recover request) {
        store(request.store());
        if (!request.isDryRun()) {
            LOG.warn("operator recovers store={} lost={}", request.store(), request.lost());
        }
        return node.recover(request.store(), Set.copyOf(request.lost()), request.isDryRun())
                .thenApply(result -> recovered(request, result));
    }

    private static Messages.Recovery recovered(Messages.Recover request, RecoveryResult result) {
        if (!request.isDryRun()) {
            LOG.warn("recovered store={} steps={} errors={}", request.store(), result.steps(), result.errors());
        }
        return new Messages.Recovery(request.isDryRun(), result.steps(), result.errors());
    }

    private CompletableFuture<Messages.Balancers> balancers(Messages.OfBalancers request) {
        if (isElsewhere(request.node())) {
            return forward(request.node(), AdminMethods.BALANCERS, request);
        }
        return store(request.store())
                .balance()
                .list()
                .thenApply(all -> new Messages.Balancers(
                        request.store(),
                        node.self(),
                        all.stream()
                                .map(each -> Messages.Balancer.of(each, limited.of(request.store(), each.name())))
                                .toList()));
    }

    private CompletableFuture<Messages.Nothing> changeBalancer(Messages.ChangeBalancer request) {
        if (isElsewhere(request.node())) {
            return forward(request.node(), AdminMethods.CHANGE_BALANCER, request);
        }
        BalanceControl balancers = store(request.store()).balance();
        LOG.info(
                "operator changes balancer store={} balancer={} change={} settings={}",
                request.store(),
                request.balancer(),
                request.change(),
                request.settings());
        String store = request.store();
        CompletableFuture<Void> changed = switch (request.change()) {
            case PAUSE -> balancers.pause(request.balancer());
            case PAUSE_FOR -> limited.pause(balancers, store, request.balancer(), request.forSeconds());
            case REST -> limited.rest(balancers, store, request.balancer());
            case UNREST -> limited.unrest(balancers, store, request.balancer());
            case RESUME -> limited.resume(balancers, store, request.balancer());
            case TUNE -> balancers.tune(request.balancer(), request.settings());
        };
        return changed.thenApply(done -> new Messages.Nothing());
    }

    private CompletableFuture<Messages.Configuration> configuration(Messages.OfNode request) {
        return isElsewhere(request.node())
                ? forward(request.node(), AdminMethods.CONFIGURATION, request)
                : CompletableFuture.completedFuture(new Messages.Configuration(node.self(), facts.settings()));
    }

    private CompletableFuture<Messages.Plugins> plugins(Messages.OfNode request) {
        return isElsewhere(request.node())
                ? forward(request.node(), AdminMethods.PLUGINS, request)
                : CompletableFuture.completedFuture(new Messages.Plugins(node.self(), facts.plugins()));
    }

    private void copyRange(byte[] bytes, StreamObserver<byte[]> caller) {
        copy(caller, sender -> {
            Messages.OfRange request = AdminMethods.decode(bytes, 0, Messages.OfRange.class);
            if (isElsewhere(request.node())) {
                relay(sender, channel(request.node()), request);
                return;
            }
            store(request.store());
            LOG.info("operator copies range store={} range={}", request.store(), request.rangeId());
            sender.send(backups, node.clusterId(), request);
        });
    }

    /** Cancels the call to the other node when the caller is gone. */
    private static void relay(CopySender sender, Channel channel, Messages.OfRange request)
            throws IOException, InterruptedException {
        CancellableContext call = Context.ROOT.withCancellation();
        Context before = call.attach();
        try {
            sender.relay(ClientCalls.blockingServerStreamingCall(
                    channel, AdminMethods.COPY_RANGE, CallOptions.DEFAULT, request));
        } finally {
            call.detach(before);
            call.cancel(null);
        }
    }

    private void copyStores(byte[] bytes, StreamObserver<byte[]> caller) {
        copy(caller, sender -> {
            Messages.OfStores request = AdminMethods.decode(bytes, 0, Messages.OfStores.class);
            request.stores().forEach(this::store);
            LOG.info("operator copies stores={}", request.stores());
            sender.send(backups, node.clusterId(), request);
        });
    }

    private interface Copying {
        void send(CopySender sender) throws IOException, InterruptedException;
    }

    private void copy(StreamObserver<byte[]> caller, Copying copying) {
        CopySender sender = new CopySender((ServerCallStreamObserver<byte[]>) caller);
        try {
            copies.execute(() -> copy(sender, caller, copying));
        } catch (RejectedExecutionException e) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription(MAX_COPIES + " copies are under way already")
                    .asRuntimeException());
        }
    }

    /** Runs on a thread that may block. */
    private static void copy(CopySender sender, StreamObserver<byte[]> caller, Copying copying) {
        try {
            copying.send(sender);
        } catch (IOException e) {
            LOG.warn("operator's copy failed cause={}", e.toString());
            caller.onError(
                    Status.FAILED_PRECONDITION.withDescription(e.getMessage()).asRuntimeException());
        } catch (RuntimeException e) { // outermost frame of a request
            caller.onError(statusOf(e).asRuntimeException());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            caller.onError(STOPPING.asRuntimeException());
        }
    }

    private boolean isElsewhere(String nodeId) {
        return !nodeId.isEmpty() && !nodeId.equals(node.self());
    }

    private Channel channel(String nodeId) {
        Channel channel = peers.to(nodeId);
        if (channel == null) {
            throw Status.NOT_FOUND
                    .withDescription("there is no member " + nodeId)
                    .asRuntimeException();
        }
        return channel;
    }

    private <Q, A> CompletableFuture<A> forward(String nodeId, MethodDescriptor<Q, A> method, Q request) {
        Channel channel = channel(nodeId);
        CompletableFuture<A> answer = new CompletableFuture<>();
        ClientCalls.asyncUnaryCall(
                channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(FORWARD_SECONDS, TimeUnit.SECONDS)),
                request,
                new StreamObserver<A>() {
                    @Override
                    public void onNext(A value) {
                        answer.complete(value);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        // onNext has the answer
                    }
                });
        return answer;
    }

    /** Ends, including copies under way. */
    @Override
    public void close() {
        requests.shutdownNow();
        copies.shutdownNow();
        limited.close();
    }
}
