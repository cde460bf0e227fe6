package io.godwit.broker.config;

/** What must hold of a text beside its type. An implementation has a constructor without arguments. */
public interface Check {
    /**
     * The text to use, which may be another way of writing it.
     *
     * @throws IllegalArgumentException whose message says what it must be
     */
    String checked(String text);

    /** Everything is right. */
    final class None implements Check {
        @Override
        public String checked(String text) {
            return text;
        }
    }
}
