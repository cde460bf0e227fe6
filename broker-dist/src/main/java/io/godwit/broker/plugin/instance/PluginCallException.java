package io.godwit.broker.plugin.instance;

import org.jspecify.annotations.Nullable;

/** A call of a plugin has no answer. */
public class PluginCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PluginCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The call was not made. Without a stack trace, since there may be many. */
    public static final class NotMade extends PluginCallException {
        private static final long serialVersionUID = 1L;

        public NotMade(String message) {
            super(message, null);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
