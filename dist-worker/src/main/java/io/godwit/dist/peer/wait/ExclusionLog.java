package io.godwit.dist.peer.wait;

import io.godwit.dist.client.LogPace;
import io.godwit.dist.member.view.NodeLife;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs exclusions. While one cannot be agreed on, all that wait for the member ask for it several times a second: so a
 * line for the same member and cause comes at most once per {@link #INTERVAL}, with the count since the last one.
 * Thread-safe.
 */
final class ExclusionLog {
    static final Duration INTERVAL = Duration.ofSeconds(10);
    /** Most lines remembered. There are few causes; beyond the limit the oldest lines may be logged again. */
    static final int MAX_LINES = 64;

    private static final Logger LOG = LoggerFactory.getLogger(ExclusionLog.class);

    private record Line(boolean isFailure, NodeLife life, String cause) {}

    private final LongSupplier nanoTime;
    /** By time of last use, the oldest first. */
    private final Map<Line, LogPace> paces = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Line, LogPace> eldest) {
            return size() > MAX_LINES;
        }
    };

    /** @param nanoTime the monotonic clock */
    ExclusionLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void asked(NodeLife life, String cause) {
        log("member is to be excluded node={} incarnation={} cause={} count={}", new Line(false, life, cause));
    }

    void failed(NodeLife life, String cause) {
        log("member could not be excluded node={} incarnation={} cause={} count={}", new Line(true, life, cause));
    }

    private void log(String format, Line line) {
        long count;
        synchronized (this) {
            LogPace pace = paces.computeIfAbsent(line, fresh -> new LogPace(nanoTime, INTERVAL));
            if (!pace.count()) {
                return;
            }
            count = pace.take();
        }
        LOG.warn(format, line.life().nodeId(), line.life().incarnation(), line.cause(), count);
    }
}
