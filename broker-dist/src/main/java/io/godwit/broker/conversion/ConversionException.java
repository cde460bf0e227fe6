package io.godwit.broker.conversion;

/** A file cannot be converted. The message is for people, and names the file. */
public final class ConversionException extends Exception {
    private static final long serialVersionUID = 1L;

    ConversionException(String message) {
        super(message);
    }
}
