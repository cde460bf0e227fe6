package io.godwit.broker.api;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.recovery.RecoveryListener;
import ch.qos.logback.core.recovery.ResilientOutputStreamBase;
import ch.qos.logback.core.status.ErrorStatus;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import io.godwit.api.port.access.AuditSink;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.slf4j.LoggerFactory;

/**
 * Writes the audit record by Logback, and detects whether Logback could write: appenders throw nothing when a disk is
 * full. A file reports errors to its context, where this object listens; any other failed appender is stopped. No level
 * prevents the record from being written, even if the configuration of the log is reloaded.
 */
public final class LogbackAudit implements AuditSink, AutoCloseable {
    private final LoggerContext context;
    private final Listener listener = new Listener();
    private final Counter refused;
    private final Counter lost;
    /**
     * Files that have failed at least once, and whether they are failing now. Set by logging threads, read by the
     * writer.
     */
    private final Map<OutputStream, Boolean> failing = Collections.synchronizedMap(new WeakHashMap<>());

    public LogbackAudit(MeterRegistry meters) {
        this(meters, (LoggerContext) LoggerFactory.getILoggerFactory());
    }

    LogbackAudit(MeterRegistry meters, LoggerContext context) {
        refused = Counter.builder("godwit.api.changes.unrecorded")
                .description("changes that the API refused, since no record of them could be kept")
                .register(meters);
        lost = Counter.builder("godwit.api.records.lost")
                .description("records of requests to the API that were given up")
                .register(meters);
        this.context = context;
        context.getStatusManager().add(listener);
    }

    /** Called by the thread that writes to the file, under the lock of its appender. */
    private final class Listener implements StatusListener {
        @Override
        public void addStatusEvent(Status status) {
            if (status instanceof ErrorStatus
                    && status.getOrigin() instanceof ResilientOutputStreamBase file
                    && failing.put(file, true) == null) {
                file.addRecoveryListener(new Recovery(file));
            }
        }

        /** The listener stays when the configuration is reloaded. */
        @Override
        public boolean isResetResistant() {
            return true;
        }
    }

    private final class Recovery implements RecoveryListener {
        private final WeakReference<OutputStream> file;

        Recovery(OutputStream file) {
            this.file = new WeakReference<>(file);
        }

        @Override
        public void newFailure(IOException failure) {
            set(true);
        }

        @Override
        public void recoveryOccured() {
            set(false);
        }

        private void set(boolean fails) {
            OutputStream known = file.get();
            if (known != null) {
                failing.put(known, fails);
            }
        }
    }

    @Override
    public void write(String record) throws IOException {
        Logger logger = context.getLogger(LOGGER);
        if (!logger.isInfoEnabled()) { // inherited, or after a reload of the configuration
            logger.setLevel(Level.INFO);
        }
        Optional<String> before = failure();
        logger.info("{}", record);
        // a file that is just recovering discards what is written to it
        String failure = failure().or(() -> before).orElse("");
        if (!failure.isEmpty()) {
            throw new IOException(failure);
        }
    }

    /** A failure of one of the appenders that receive the records. */
    private Optional<String> failure() {
        String name = LOGGER;
        while (true) {
            Logger logger = context.getLogger(name);
            for (Iterator<Appender<ILoggingEvent>> all = logger.iteratorForAppenders(); all.hasNext(); ) {
                Appender<ILoggingEvent> appender = all.next();
                if (!appender.isStarted() || isFailing(appender)) {
                    return Optional.of(
                            "the appender " + appender.getName() + " of the log cannot write, such as on a full disk");
                }
            }
            if (!logger.isAdditive() || name.equals(Logger.ROOT_LOGGER_NAME)) {
                return Optional.empty();
            }
            name = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : Logger.ROOT_LOGGER_NAME;
        }
    }

    private boolean isFailing(Appender<ILoggingEvent> appender) {
        OutputStream out = appender instanceof OutputStreamAppender<?> file ? file.getOutputStream() : null;
        return out != null && failing.getOrDefault(out, false);
    }

    @Override
    public void refused() {
        refused.increment();
    }

    @Override
    public void lost(int records) {
        lost.increment(records);
    }

    /** Stops listening for failures. */
    @Override
    public void close() {
        context.getStatusManager().remove(listener);
    }
}
