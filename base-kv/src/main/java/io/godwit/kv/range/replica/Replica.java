package io.godwit.kv.range.replica;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.state.RangeState;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A replica as its parts see it. As an executor it runs tasks on the range executor. */
public interface Replica extends Executor {
    String groupId();

    /** The state that requests are routed by; the database may be ahead. Any thread. */
    RangeState routed();

    /** Null before the start. Any thread. */
    @Nullable
    RaftGroup group();

    /** Why everything is refused; null while the replica runs. For the range executor. */
    @Nullable
    RangeException ended();

    /** For the range executor. */
    default boolean hasEnded() {
        return ended() != null;
    }

    /** Runs {@code task} on the range executor after a number of milliseconds. Any thread. */
    void later(long delayMillis, Runnable task);

    /** Tells the store that a leadership, a state or a fault has changed. On the range executor. */
    void roleChanged();

    /** Stops the replica and keeps its files. Any thread. */
    void fault(String what, Throwable cause);
}
