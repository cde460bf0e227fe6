package io.godwit.plugin.context;

/** The broker cannot do now what a plugin asks for; it may later. */
public final class BrokerUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BrokerUnavailableException(String message) {
        super(message);
    }

    public BrokerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
