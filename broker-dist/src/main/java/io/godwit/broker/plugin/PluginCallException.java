package io.godwit.broker.plugin;

import org.jspecify.annotations.Nullable;

/** A call of a plugin has come to no answer. */
class PluginCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PluginCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** One that says that a call was not made, of which there may be many. */
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
