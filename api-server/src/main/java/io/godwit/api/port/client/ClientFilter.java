package io.godwit.api.port.client;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Selects the clients that meet every condition given. An empty one matches all clients.
 *
 * @param tenant exactly
 * @param clientId a pattern for the client id
 * @param userName exactly
 * @param address of the peer, in any spelling, or a block such as {@code 10.0.0.0/8}
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
     * A plain text at the beginning of another text or anywhere in it; never a regular expression, which could take for
     * ever. Case-sensitive.
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
