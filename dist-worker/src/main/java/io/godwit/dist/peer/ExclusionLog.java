package io.godwit.dist.peer;

import io.godwit.dist.client.LogPace;
import io.godwit.dist.member.NodeLife;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs exclusions. While one cannot be agreed on it is asked for several times a second, by everybody who waits for the
 * member: so a line of the same member and cause comes at most once an {@link #INTERVAL}. Each line says how many of
 * the kind there have been since the last one. Thread-safe.
 */
final class ExclusionLog {
    static final Duration INTERVAL = Duration.ofSeconds(10);
    /** Different lines that are known. Causes are few; a longer list has its oldest lines logged again. */
    static final int MAX_LINES = 64;

    private static final Logger LOG = LoggerFactory.getLogger(ExclusionLog.class);

    private record Line(boolean isFailure, NodeLife life, String cause) {}

    private final LongSupplier nanoTime;
    /** By the time of the last use, the oldest first. */
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
