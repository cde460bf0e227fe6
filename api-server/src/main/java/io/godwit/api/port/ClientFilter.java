package io.godwit.api.port;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Which clients are wanted: those that meet all that is given. What is empty selects nothing out.
 *
 * @param tenant exactly
 * @param clientId how the client id must be
 * @param userName exactly
 * @param address of the peer, in whatever spelling, or a block such as {@code 10.0.0.0/8}
 * @param protocolLevel 3, 4 or 5
 * @param leastQueued the least number of queued messages
 */
public record ClientFilter(
        Optional<String> tenant,
        Optional<TextPattern> clientId,
        Optional<String> userName,
        Optional<String> address,
        OptionalInt protocolLevel,
        Optional<Boolean> connected,
        OptionalLong leastQueued) {
    /** All clients. */
    public static final ClientFilter ALL = new ClientFilter(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty());

    /**
     * A plain text that another has at its beginning or anywhere; never a regular expression, which could take for
     * ever. Upper and lower case differ.
     */
    public record TextPattern(Kind kind, String text) {
        /** Where the text must be. */
        public enum Kind {
            PREFIX,
            SUBSTRING
        }

        public boolean matches(String candidate) {
            return switch (kind) {
                case PREFIX -> candidate.startsWith(text);
                case SUBSTRING -> candidate.contains(text);
            };
        }
    }

    public boolean matches(ClientView client) {
        return isMet(tenant, client.tenant())
                && clientId.map(pattern -> pattern.matches(client.clientId())).orElse(true)
                && isMet(userName, client.userName())
                && isMet(address, client.address())
                && (protocolLevel.isEmpty() || protocolLevel.getAsInt() == client.protocolLevel())
                && isMet(connected, client.connected())
                && (leastQueued.isEmpty() || leastQueued.getAsLong() <= client.queuedMessages());
    }

    private static <T> boolean isMet(Optional<T> wanted, T value) {
        return wanted.isEmpty() || wanted.get().equals(value);
    }
}
