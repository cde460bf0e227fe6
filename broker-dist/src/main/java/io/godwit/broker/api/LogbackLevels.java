package io.godwit.broker.api;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.godwit.api.port.access.AuditSink;
import io.godwit.api.port.cluster.LogLevels;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * The levels of Logback's loggers. Only the root and loggers of the broker can be set: loggers live forever, so they
 * must not be created for arbitrary names. The audit record cannot be switched off ({@link LogbackAudit} handles an
 * inherited level). The root's level cannot be below info: at debug, libraries log transferred data, such as tokens of
 * operators in RPC.
 */
public final class LogbackLevels implements LogLevels {
    private static final Pattern OURS = Pattern.compile("io\\.godwit(\\.[A-Za-z][A-Za-z0-9]{0,60}){0,8}");
    private static final int MAX_LOGGERS = 2_000;

    @Override
    public Map<String, Level> levels() {
        Map<String, Level> levels = new TreeMap<>();
        for (Logger logger : context().getLoggerList()) {
            if (logger.getLevel() != null) {
                levels.put(logger.getName(), levelOf(logger.getLevel()));
            }
        }
        return levels;
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    private static Level levelOf(ch.qos.logback.classic.Level level) {
        return switch (level.levelInt) {
            case ch.qos.logback.classic.Level.TRACE_INT, ch.qos.logback.classic.Level.ALL_INT -> Level.TRACE;
            case ch.qos.logback.classic.Level.DEBUG_INT -> Level.DEBUG;
            case ch.qos.logback.classic.Level.INFO_INT -> Level.INFO;
            case ch.qos.logback.classic.Level.WARN_INT -> Level.WARN;
            default -> Level.ERROR;
        };
    }

    @Override
    public Optional<String> set(String logger, Level level) {
        boolean isRoot = logger.equals(org.slf4j.Logger.ROOT_LOGGER_NAME);
        if (!isRoot && !OURS.matcher(logger).matches()) {
            return Optional.of("must be ROOT, or a package or class of io.godwit");
        }
        if (logger.equals(AuditSink.LOGGER)) {
            return Optional.of("the record of changes cannot be changed here");
        }
        if (isRoot && (level == Level.DEBUG || level == Level.TRACE)) {
            return Optional.of("ROOT may have no level below info, at which libraries log secrets that they transfer; "
                    + "set io.godwit");
        }
        if (isRoot && level == Level.INHERIT) {
            return Optional.of("ROOT has no parent to inherit a level from");
        }
        if (context().exists(logger) == null && context().getLoggerList().size() >= MAX_LOGGERS) {
            return Optional.of("there are " + MAX_LOGGERS + " loggers already");
        }
        context()
                .getLogger(logger)
                .setLevel(level == Level.INHERIT ? null : ch.qos.logback.classic.Level.valueOf(level.name()));
        return Optional.empty();
    }
}
