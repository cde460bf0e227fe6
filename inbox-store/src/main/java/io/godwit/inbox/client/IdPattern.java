package io.godwit.inbox.client;

/**
 * A text that a client id must have, connected or stored. Upper and lower case differ. A look takes time by the length
 * of the client id alone, however both are made: clients choose the one and operators the other, and an event loop or
 * the thread of a range looks.
 */
public final class IdPattern {
    /** No client id is longer [MQTT5-1.5.4]. */
    private static final int MAX_LENGTH = 65_535;

    public static final IdPattern ANY = new IdPattern("", true);

    /** Up to this product of the lengths the plain search is fast, whatever the texts. */
    private static final int FEW = 1 << 14;

    private final String text;
    private final boolean isPrefix;
    /**
     * Of each beginning of the text, the length of the longest shorter beginning that it ends with: there the search of
     * Knuth, Morris and Pratt goes on when the next character differs. Empty for a prefix.
     */
    private final int[] borders;

    /**
     * @param text up to 65,535 characters, else it is an {@link IllegalArgumentException}
     * @param isPrefix whether the client id begins with the text, else has it somewhere
     */
    public IdPattern(String text, boolean isPrefix) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a client id has at most " + MAX_LENGTH + " characters, asked for one with " + text.length());
        }
        this.text = text;
        this.isPrefix = isPrefix;
        borders = isPrefix ? new int[0] : new int[text.length()];
        int border = 0;
        for (int i = 1; i < borders.length; i++) {
            border = next(border, text.charAt(i));
            borders[i] = border;
        }
    }

    /** How much of the text has been met when {@code met} of it had been, and {@code c} comes. */
    private int next(int met, char c) {
        int length = met;
        while (length > 0 && text.charAt(length) != c) {
            length = borders[length - 1];
        }
        return text.charAt(length) == c ? length + 1 : length;
    }

    public String text() {
        return text;
    }

    public boolean isPrefix() {
        return isPrefix;
    }

    public boolean matches(String clientId) {
        if (isPrefix) {
            return clientId.startsWith(text);
        }
        return text.length() <= clientId.length()
                && ((long) text.length() * clientId.length() <= FEW ? clientId.contains(text) : isIn(clientId));
    }

    private boolean isIn(String clientId) {
        int met = 0;
        for (int i = 0; i < clientId.length(); i++) {
            met = next(met, clientId.charAt(i));
            if (met == text.length()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdPattern pattern && isPrefix == pattern.isPrefix && text.equals(pattern.text);
    }

    @Override
    public int hashCode() {
        return 31 * text.hashCode() + Boolean.hashCode(isPrefix);
    }

    @Override
    public String toString() {
        return "IdPattern[" + text + (isPrefix ? ", prefix]" : "]");
    }
}
