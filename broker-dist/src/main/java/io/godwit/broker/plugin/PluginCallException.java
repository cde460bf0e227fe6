package io.godwit.broker.plugin;

import org.jspecify.annotations.Nullable;

/** A call of a plugin has no answer. */
class PluginCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PluginCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The call was not made. Without a stack trace, since there may be many. */
    static final class NotMade extends PluginCallException {
        private static final long serialVersionUID = 1L;

        NotMade(String message) {
            super(message, null);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
