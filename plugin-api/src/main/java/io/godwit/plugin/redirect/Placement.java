package io.godwit.plugin.redirect;

/** Where a client should connect. */
public sealed interface Placement {
    /** The one value of {@link Here}. */
    Placement HERE = new Here();

    /** On this node. */
    record Here() implements Placement {}

    /**
     * The client is refused with 0x9C: it should use another server this time.
     *
     * @param serverReference see {@link Placement#checked}
     */
    record UseAnother(String serverReference) implements Placement {
        public UseAnother {
            checked(serverReference);
        }
    }

    /**
     * The client is refused with 0x9D: it should use another server from now on.
     *
     * @param serverReference see {@link Placement#checked}
     */
    record Moved(String serverReference) implements Placement {
        public Moved {
            checked(serverReference);
        }
    }

    /** Most characters of a server reference. */
    int MAX_REFERENCE_CHARS = 1_000;

    /**
     * A server reference in the form that clients get: {@code host}, {@code host:port} or several of them separated by
     * blanks; printable ASCII, at most {@value #MAX_REFERENCE_CHARS} characters.
     *
     * @throws IllegalArgumentException when it has another form
     */
    static String checked(String serverReference) {
        boolean isPlain = serverReference.chars().allMatch(each -> each >= ' ' && each <= '~');
        if (!isPlain || serverReference.isBlank() || serverReference.length() > MAX_REFERENCE_CHARS) {
            throw new IllegalArgumentException("a server reference must be names of servers with blanks between them,"
                    + " of at most " + MAX_REFERENCE_CHARS + " characters");
        }
        return serverReference;
    }
}
