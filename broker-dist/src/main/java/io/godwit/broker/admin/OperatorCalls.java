package io.godwit.broker.admin;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.cluster.LocalAccess;
import io.godwit.cluster.RpcConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What {@code godwit-admin} calls, for the API: the service of this node, over its loopback connection. Calls block, so
 * each has one of a few threads, none of which there is while nobody asks. Who may only look holds up no change: while
 * a node hangs, questions to all nodes take all of their time. Made when the service is served, closed before it.
 */
public final class OperatorCalls implements AutoCloseable {
    /** For questions, and as many for changes. */
    static final int THREADS = 4;

    private static final int MAX_WAITING = 32;
    private static final long IDLE_SECONDS = 10;
    /** Of one call of work that goes on after its request. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

    private final RpcConnection connection;
    private final AdminClient client;
    private final ThreadPoolExecutor questions = threads("admin-api-read");
    private final ThreadPoolExecutor changes = threads("admin-api-change");

    private OperatorCalls(RpcConnection connection) {
        this.connection = connection;
        this.client = new AdminClient(connection, "this node", CALL_TIMEOUT);
    }

    private static ThreadPoolExecutor threads(String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** @param access of the node's service for programs of its machine */
    public static OperatorCalls to(Path access) throws IOException {
        return new OperatorCalls(RpcConnection.local(LocalAccess.read(access)));
    }

    /** Without a limit for all calls together. */
    AdminClient client() {
        return client;
    }

    /** Something that the service is asked or told. */
    interface Call<T> {
        T make(AdminClient within) throws AdminException;
    }

    /** What changes nothing. Fails with {@link OperationException}, or {@link NotServingException} if too many wait. */
    <T> CompletableFuture<T> ask(Duration within, Call<T> question) {
        return make(within, question, questions);
    }

    /** What changes something; fails as {@link #ask}. */
    <T> CompletableFuture<T> change(Duration within, Call<T> change) {
        return make(within, change, changes);
    }

    private <T> CompletableFuture<T> make(Duration within, Call<T> call, ThreadPoolExecutor threads) {
        AdminClient limited = client.within(within);
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return call.make(limited);
                        } catch (AdminException e) {
                            throw exception(e);
                        }
                    },
                    threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new NotServingException("too many requests of operators wait, or the node stops"));
        }
    }

    static OperationException exception(AdminException failure) {
        OperationException.Kind kind = switch (failure.kind()) {
            case USAGE -> OperationException.Kind.INVALID;
            case UNKNOWN -> OperationException.Kind.UNKNOWN;
            case STALE -> OperationException.Kind.STALE;
            case REFUSED -> OperationException.Kind.REFUSED;
            case UNREACHABLE -> OperationException.Kind.UNREACHABLE;
            case FAILED, DAMAGED, INCOMPLETE -> OperationException.Kind.FAILED;
        };
        return new OperationException(kind, String.valueOf(failure.getMessage()));
    }

    /** What waits is not thrown away: somebody waits for it. */
    @Override
    public void close() {
        questions.shutdown();
        changes.shutdown();
        connection.close();
    }
}
