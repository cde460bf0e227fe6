package io.godwit.broker.admin.steering;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes the calls of {@code godwit-admin} for the API: to the service of this node, over its loopback connection. Calls
 * block, so they run on a few threads, which exist only while there are requests. Questions and changes have separate
 * threads: while a node hangs, questions to all nodes use up their whole time, and must not hold up a change. Created
 * once the service is served, closed before it.
 */
public final class OperatorCalls implements AutoCloseable {
    /** Threads for questions, and as many for changes. */
    static final int THREADS = 4;

    private static final int MAX_WAITING = 32;
    private static final long IDLE_SECONDS = 10;
    /** Time limit of one call of work that continues after its request. */
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

    /** @param access the file with the address of the node's service for local programs */
    public static OperatorCalls to(Path access) throws IOException {
        return new OperatorCalls(RpcConnection.local(LocalAccess.read(access)));
    }

    /** The client without a limit for all calls together. */
    AdminClient client() {
        return client;
    }

    /** A call of the service. */
    interface Call<T> {
        T make(AdminClient within) throws AdminException;
    }

    /**
     * Makes a call that changes nothing. Fails with {@link OperationException}, or with {@link NotServingException} if
     * too many wait.
     */
    <T> CompletableFuture<T> ask(Duration within, Call<T> question) {
        return make(within, question, questions);
    }

    /** Makes a call that changes something; fails as {@link #ask}. */
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

    /** Waiting calls still run, since somebody waits for their answers. */
    @Override
    public void close() {
        questions.shutdown();
        changes.shutdown();
        connection.close();
    }
}
