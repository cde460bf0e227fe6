package io.godwit.api.port.cluster;

import java.util.Map;
import java.util.Optional;

/** Log levels of this node. Thread-safe; calls do not block. A restart resets levels set here. */
public interface LogLevels {
    /** From most to least output; INHERIT takes the level of the parent logger. */
    enum Level {
        TRACE,
        DEBUG,
        INFO,
        WARN,
        ERROR,
        INHERIT
    }

    /** The loggers with a level of their own and that level, sorted by name; never {@link Level#INHERIT}. */
    Map<String, Level> levels();

    /**
     * Sets the level of a logger and of the loggers below it without a level of their own.
     *
     * @param logger {@code ROOT}, which may be info or above, or a package or class of {@code io.godwit}
     * @return why it was refused; empty when it is set
     */
    Optional<String> set(String logger, Level level);
}
