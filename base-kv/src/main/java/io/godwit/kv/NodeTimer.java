package io.godwit.kv;

import io.godwit.kv.balance.BalanceTimer;
import io.godwit.kv.peers.KvThreads;
import io.godwit.kv.range.replica.RangeExecutor;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the tasks of a balance loop one at a time on I/O threads, because balancers may be foreign code. */
final class NodeTimer implements BalanceTimer {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTimer.class);

    private final KvThreads threads;
    private final RangeExecutor executor;

    NodeTimer(KvThreads threads) {
        this.threads = threads;
        this.executor = new RangeExecutor(threads.io(), thrown -> LOG.error("task of a balance loop failed", thrown));
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    public void after(Duration delay, Runnable task) {
        try {
            threads.timers().schedule(() -> executor.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("nothing is balanced any more: closing");
        }
    }
}
