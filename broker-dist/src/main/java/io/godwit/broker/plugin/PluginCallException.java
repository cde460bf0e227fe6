package io.godwit.broker.plugin;

import org.jspecify.annotations.Nullable;

/** A call of a plugin has come to no answer. */
class PluginCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PluginCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** One that says that a call was not made, of which there may be many. */
    static PluginCallException notMade(String message) {
        return new PluginCallException(message) {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Throwable fillInStackTrace() {
                return this;
            }
        };
    }

    private PluginCallException(String message) {
        super(message);
    }
}
