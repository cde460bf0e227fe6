package io.godwit.broker.plugin.context;

import java.text.MessageFormat;
import java.util.MissingResourceException;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker's log as a {@link System.Logger}. Thread-safe. */
final class HostLogger implements System.Logger {
    /** The largest number of characters of a line. */
    private static final int MAX = 8_192;

    private final String name;
    private final Logger log;

    HostLogger(String name) {
        this.name = name;
        this.log = LoggerFactory.getLogger(name);
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(Level level) {
        return level != Level.OFF && (level == Level.ALL || log.isEnabledForLevel(levelOf(level)));
    }

    @Override
    public void log(
            Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
        write(level, localized(bundle, message), thrown);
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            @Nullable String format,
            @Nullable Object @Nullable ... parameters) {
        if (isLoggable(level)) {
            String text = localized(bundle, format);
            // parameters is null if the JDK calls log(level, message)
            write(level, parameters == null || parameters.length == 0 ? text : formatted(text, parameters), null);
        }
    }

    private void write(Level level, String text, @Nullable Throwable thrown) {
        if (isLoggable(level)) {
            String shown = text.length() > MAX ? text.substring(0, MAX) : text;
            log.atLevel(level == Level.ALL ? org.slf4j.event.Level.TRACE : levelOf(level))
                    .setCause(thrown)
                    .log("{}", shown);
        }
    }

    private static String formatted(String text, @Nullable Object[] parameters) {
        try {
            return MessageFormat.format(text, parameters);
        } catch (IllegalArgumentException e) {
            return text; // as the JDK's own logger does
        }
    }

    private static String localized(@Nullable ResourceBundle bundle, @Nullable String message) {
        if (message == null || bundle == null) {
            return String.valueOf(message);
        }
        try {
            return bundle.getString(message);
        } catch (MissingResourceException | ClassCastException e) {
            return message;
        }
    }

    private static org.slf4j.event.Level levelOf(Level level) {
        return switch (level) {
            case ALL, TRACE -> org.slf4j.event.Level.TRACE;
            case DEBUG -> org.slf4j.event.Level.DEBUG;
            case INFO -> org.slf4j.event.Level.INFO;
            case WARNING -> org.slf4j.event.Level.WARN;
            case ERROR, OFF -> org.slf4j.event.Level.ERROR;
        };
    }
}
