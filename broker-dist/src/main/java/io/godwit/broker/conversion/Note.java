package io.godwit.broker.conversion;

/**
 * The result of converting one line.
 *
 * @param line of the other file; 0 for a default that the file does not mention
 * @param key of the other broker; never a value, which may be a secret
 * @param text for people: the counterpart, or the reason why there is none
 */
public record Note(int line, String key, Outcome outcome, String text) {
    /** The result. */
    public enum Outcome {
        /** Converted, with the same meaning. */
        TAKEN("taken"),
        /** Converted, with another meaning. */
        CHANGED("changed"),
        /** Converted, but the user has to do something more. */
        TO_DO("to do"),
        /** Not converted: there is no counterpart. */
        LEFT_OUT("left out");

        private final String word;

        Outcome(String word) {
            this.word = word;
        }

        /** The word for people. */
        public String word() {
            return word;
        }
    }
}
