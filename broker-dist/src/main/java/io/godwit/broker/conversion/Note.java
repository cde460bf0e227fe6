package io.godwit.broker.conversion;

/**
 * What became of one line.
 *
 * @param line of the other file; 0 for what that file does not say and means all the same
 * @param key as the other broker calls it; never a value, which may be a secret
 * @param text for people: what it is here, or why it is not
 */
public record Note(int line, String key, Outcome outcome, String text) {
    /** What became of it. */
    public enum Outcome {
        /** It means the same here. */
        TAKEN("taken"),
        /** It is there, and means something else. */
        CHANGED("changed"),
        /** It is there, and somebody has to do something more. */
        TO_DO("to do"),
        /** It has no counterpart. */
        LEFT_OUT("left out");

        private final String word;

        Outcome(String word) {
            this.word = word;
        }

        /** For people. */
        public String word() {
            return word;
        }
    }
}
