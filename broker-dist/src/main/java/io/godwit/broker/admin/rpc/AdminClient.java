package io.godwit.broker.admin.rpc;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.cluster.rpc.RpcConnection;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls one node. For one thread at a time; each call blocks. */
public final class AdminClient implements AutoCloseable {
    /** Added to the time limit of a call: a node whose time is over answers so itself. */
    private static final long GRACE_MILLIS = 3_000;

    private final RpcConnection connection;
    private final String target;
    private final Duration timeout;
    /** When all calls together must have ended, in terms of {@link System#nanoTime}; null for no such limit. */
    private final @Nullable Long untilNanos;

    private final long graceMillis;
    private final boolean isOwner;

    /** @param target what the operator named, for messages */
    public AdminClient(RpcConnection connection, String target, Duration timeout) {
        this(connection, target, timeout, null, GRACE_MILLIS, true);
    }

    private AdminClient(
            RpcConnection connection,
            String target,
            Duration timeout,
            @Nullable Long untilNanos,
            long graceMillis,
            boolean isOwner) {
        this.connection = connection;
        this.target = target;
        this.timeout = timeout;
        this.untilNanos = untilNanos;
        this.graceMillis = graceMillis;
        this.isOwner = isOwner;
    }

    /**
     * A client over the same connection, whose calls together take at most {@code all}. It does not close the
     * connection.
     */
    public AdminClient within(Duration all) {
        return new AdminClient(connection, target, all, System.nanoTime() + all.toNanos(), GRACE_MILLIS, false);
    }

    /**
     * The client for the next of {@code nodes} nodes that are called one after the other: it gets an equal part of the
     * time left, so that a silent node does not use up the time of the others. Without a time limit, this client.
     */
    public AdminClient share(int nodes) {
        if (untilNanos == null) {
            return this;
        }
        long now = System.nanoTime();
        long nanos = Math.max(0, untilNanos - now) / nodes;
        return new AdminClient(connection, target, Duration.ofNanos(nanos), now + nanos, 0, false);
    }

    public Duration timeout() {
        return timeout;
    }

    public Messages.Nodes nodes() throws AdminException {
        return call(AdminMethods.NODES, new Messages.Nothing());
    }

    public Messages.Ranges ranges(String store) throws AdminException {
        return call(AdminMethods.RANGES, new Messages.OfStore(store));
    }

    /** @param id the number of the range, or its first digits, see {@link RangeNames} */
    public Messages.Range range(String store, long id) throws AdminException {
        return new RangeNames(ranges(store)).resolve(id);
    }

    public List<Messages.Range> rangesByKey(String store) throws AdminException {
        return byKey(ranges(store));
    }

    public static List<Messages.Range> byKey(Messages.Ranges ranges) {
        // the order of hexadecimal digits is the order of the bytes
        return ranges.ranges().stream()
                .sorted(Comparator.comparing(Messages.Range::start))
                .toList();
    }

    public <Q, A> A call(MethodDescriptor<Q, A> method, Q request) throws AdminException {
        try {
            return ClientCalls.blockingUnaryCall(connection.channel(), method, options(), request);
        } catch (StatusRuntimeException e) {
            throw failure(e.getStatus());
        }
    }

    /** Begins a call with many answers and no time limit; {@link #next} takes each answer. */
    public <Q, A> Iterator<A> stream(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingServerStreamingCall(connection.channel(), method, CallOptions.DEFAULT, request);
    }

    public <A> A next(Iterator<A> answers) throws AdminException {
        try {
            return answers.next();
        } catch (StatusRuntimeException e) {
            throw failure(e.getStatus());
        } catch (NoSuchElementException e) {
            throw new AdminException(Kind.FAILED, target + " ended its answer too early", e);
        }
    }

    private CallOptions options() {
        long millis = timeout.toMillis();
        if (untilNanos != null) {
            millis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime()));
        }
        return CallOptions.DEFAULT.withDeadlineAfter(millis + graceMillis, TimeUnit.MILLISECONDS);
    }

    private AdminException failure(Status status) {
        String said = String.valueOf(status.getDescription());
        return switch (status.getCode()) {
            case UNAVAILABLE ->
                new AdminException(
                        Kind.UNREACHABLE, target + " is not reachable: " + said + reasonOf(status.getCause()));
            case UNAUTHENTICATED, PERMISSION_DENIED ->
                new AdminException(Kind.UNREACHABLE, target + " does not let you in: " + said);
            case DEADLINE_EXCEEDED, CANCELLED ->
                new AdminException(Kind.UNREACHABLE, target + " has not answered in " + timeout.toSeconds() + " s");
            case NOT_FOUND -> new AdminException(Kind.UNKNOWN, said);
            case INVALID_ARGUMENT, FAILED_PRECONDITION -> new AdminException(Kind.REFUSED, said);
            case ABORTED -> new AdminException(Kind.STALE, said);
            case UNIMPLEMENTED ->
                new AdminException(Kind.FAILED, target + " runs a release that does not know of this: " + said);
            case DATA_LOSS -> new AdminException(Kind.DAMAGED, said);
            default -> new AdminException(Kind.FAILED, target + " failed: " + said);
        };
    }

    /** The message of the root cause, such as of a TLS handshake or a refused connection. */
    private static String reasonOf(@Nullable Throwable thrown) {
        if (thrown == null) {
            return "";
        }
        return thrown.getCause() == null ? " (" + thrown.getMessage() + ")" : reasonOf(thrown.getCause());
    }

    @Override
    public void close() {
        if (isOwner) {
            connection.close();
        }
    }
}
