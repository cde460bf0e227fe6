package io.godwit.inbox.client.catalog;

/**
 * A text that a client id must contain or begin with; case-sensitive. A match takes time linear in the length of the
 * client id, whatever the texts: clients choose the id, operators choose the text, and the match runs on an event loop
 * or a range's thread.
 */
public final class IdPattern {
    /** No client id is longer [MQTT5-1.5.4]. */
    private static final int MAX_LENGTH = 65_535;

    public static final IdPattern ANY = new IdPattern("", true);

    /** Up to this product of the two lengths the plain search is fast for any texts. */
    private static final int FEW = 1 << 14;

    private final String text;
    private final boolean isPrefix;
    /**
     * For each prefix of the text, the length of its longest proper border: where the Knuth-Morris-Pratt search
     * continues when the next character differs. Empty for a prefix pattern.
     */
    private final int[] borders;

    /**
     * @param text up to 65,535 characters, else {@link IllegalArgumentException}
     * @param isPrefix true: the client id begins with the text; false: the client id contains it
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

    /** How much of the text is matched after {@code c}, when {@code met} characters were matched before it. */
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
