package io.godwit.api.port;

import java.util.Map;
import java.util.Optional;

/** What this node logs. Thread-safe; nothing blocks. A restart ends what was set here. */
public interface LogLevels {
    /** From much to little, and what the logger above it has. */
    enum Level {
        TRACE,
        DEBUG,
        INFO,
        WARN,
        ERROR,
        INHERIT
    }

    /** The loggers that have a level of their own, in order of names, with it; never {@link Level#INHERIT}. */
    Map<String, Level> levels();

    /**
     * Sets the level of a logger and of those below it that have none of their own.
     *
     * @param logger {@code ROOT}, which may be info or above, or a package or class of {@code io.godwit}
     * @return why it was refused; empty when it is set
     */
    Optional<String> set(String logger, Level level);
}
