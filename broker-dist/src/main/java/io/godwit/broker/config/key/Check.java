package io.godwit.broker.config.key;

/** A further check of a text, beyond its type. Implementations have a constructor without arguments. */
public interface Check {
    /**
     * The text to use, which may be normalized.
     *
     * @throws IllegalArgumentException with a message that says what the text must be
     */
    String checked(String text);

    /** Accepts every text. */
    final class None implements Check {
        @Override
        public String checked(String text) {
            return text;
        }
    }
}
