package io.godwit.kv.range.leader;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Tells whether a leadership is in force, by a ReadIndex: see {@link io.godwit.kv.coprocessor.LeaderContext#confirm}.
 * Callers that ask during a ReadIndex share the next one. A failed ReadIndex is repeated: a leader that no majority
 * answers soon steps down, and then nobody is told.
 *
 * <p>A ReadIndex may also succeed after this replica has stepped down, if the next leader answers it. Then it completes
 * after that leader's first entry, and so after the end of this leadership. Confined to the range executor.
 */
public final class Confirmations {
    private final ReadIndex readIndex;
    /** Runs tasks on the range executor, unless the leadership has ended. */
    private final Executor executor;

    private List<Runnable> waiting = new ArrayList<>(0);
    private boolean isUnderWay;

    Confirmations(ReadIndex readIndex, Executor executor) {
        this.readIndex = readIndex;
        this.executor = executor;
    }

    public void add(Runnable then) {
        waiting.add(then);
        if (!isUnderWay) {
            isUnderWay = true;
            executor.execute(this::ask); // for all requests of this batch of tasks
        }
    }

    private void ask() {
        List<Runnable> asking = waiting;
        waiting = new ArrayList<>(0);
        readIndex.request(ok -> executor.execute(() -> answered(asking, ok)));
    }

    private void answered(List<Runnable> asking, boolean ok) {
        if (!ok) {
            asking.addAll(waiting);
            waiting = asking;
            readIndex.later(ReadIndex.RETRY_MILLIS, this::ask);
            return;
        }
        isUnderWay = !waiting.isEmpty();
        if (isUnderWay) {
            ask();
        }
        asking.forEach(Runnable::run);
    }
}
