package io.godwit.plugin.context;

/** The broker cannot do what a plugin asks for now; it may be able to later. */
public final class BrokerUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BrokerUnavailableException(String message) {
        super(message);
    }

    public BrokerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
