package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.cluster.RpcConnection;
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

/** Calls one node. For one thread at a time: each call blocks. */
final class AdminClient implements AutoCloseable {
    /** A node that carries something out answers by itself when the time is over. */
    private static final long GRACE_MILLIS = 3_000;

    private final RpcConnection connection;
    private final String target;
    private final Duration timeout;
    /** All calls together; of {@link System#nanoTime}. Null for no such limit. */
    private final @Nullable Long untilNanos;

    private final long graceMillis;
    private final boolean isOwner;

    /** @param target for messages: what the operator named */
    AdminClient(RpcConnection connection, String target, Duration timeout) {
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

    /** One over the same connection, which it does not close, and whose calls together take so long at most. */
    AdminClient within(Duration all) {
        return new AdminClient(connection, target, all, System.nanoTime() + all.toNanos(), GRACE_MILLIS, false);
    }

    /**
     * For one of so many nodes that are asked one after the other: its calls take its part of the time that is left,
     * so that one which does not answer leaves the others theirs. The same client where there is no limit of time.
     */
    AdminClient share(int nodes) {
        if (untilNanos == null) {
            return this;
        }
        long now = System.nanoTime();
        long nanos = Math.max(0, untilNanos - now) / nodes;
        return new AdminClient(connection, target, Duration.ofNanos(nanos), now + nanos, 0, false);
    }

    Duration timeout() {
        return timeout;
    }

    Messages.Nodes nodes() throws AdminException {
        return call(AdminMethods.NODES, new Messages.Nothing());
    }

    Messages.Ranges ranges(String store) throws AdminException {
        return call(AdminMethods.RANGES, new Messages.OfStore(store));
    }

    /** @param id its number, or the first digits of it as {@link RangeNames} has them */
    Messages.Range range(String store, long id) throws AdminException {
        return new RangeNames(ranges(store)).resolve(id);
    }

    List<Messages.Range> rangesByKey(String store) throws AdminException {
        return byKey(ranges(store));
    }

    static List<Messages.Range> byKey(Messages.Ranges ranges) {
        // hexadecimal sorts as the bytes do
        return ranges.ranges().stream()
                .sorted(Comparator.comparing(Messages.Range::start))
                .toList();
    }

    <Q, A> A call(MethodDescriptor<Q, A> method, Q request) throws AdminException {
        try {
            return ClientCalls.blockingUnaryCall(connection.channel(), method, options(), request);
        } catch (StatusRuntimeException e) {
            throw failure(e.getStatus());
        }
    }

    /** Begins a call with many answers, without a limit of time; each is had by {@link #next}. */
    <Q, A> Iterator<A> stream(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingServerStreamingCall(connection.channel(), method, CallOptions.DEFAULT, request);
    }

    <A> A next(Iterator<A> answers) throws AdminException {
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

    /** The deepest message, such as the one of a TLS handshake or of a refused connection. */
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
