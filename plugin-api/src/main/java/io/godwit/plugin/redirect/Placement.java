package io.godwit.plugin.redirect;

/** Where a client is to be. */
public sealed interface Placement {
    /** Here. */
    Placement HERE = new Here();

    /** On this node. */
    record Here() implements Placement {}

    /**
     * The client is refused with 0x9C: for this time it is to use another server.
     *
     * @param serverReference see {@link Placement#checked}
     */
    record UseAnother(String serverReference) implements Placement {
        public UseAnother {
            checked(serverReference);
        }
    }

    /**
     * The client is refused with 0x9D: it is to use another server from now on.
     *
     * @param serverReference see {@link Placement#checked}
     */
    record Moved(String serverReference) implements Placement {
        public Moved {
            checked(serverReference);
        }
    }

    /** Characters of a server reference. */
    int MAX_REFERENCE_CHARS = 1_000;

    /**
     * A server reference as clients are told it, which is {@code host}, {@code host:port} or several of them with
     * blanks between: printable ASCII, of at most {@value #MAX_REFERENCE_CHARS} characters.
     *
     * @throws IllegalArgumentException when it is not
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
