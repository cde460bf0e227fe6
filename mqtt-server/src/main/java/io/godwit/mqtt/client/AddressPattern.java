package io.godwit.mqtt.client;

import io.godwit.mqtt.ban.AddressBlock;
import org.jspecify.annotations.Nullable;

/**
 * Matches the address of a client: one address in any spelling, or a block. As in bans, an IPv4 address mapped into
 * IPv6 counts as that IPv4 address, and a zone (after {@code %}) is ignored. A text that is not an address matches
 * exactly, for clients without an address. Equal when the texts are equal.
 */
public final class AddressPattern {
    private final String text;
    private final @Nullable AddressBlock block;

    public AddressPattern(String text) {
        this.text = text;
        this.block = AddressBlock.find(text);
    }

    public String text() {
        return text;
    }

    /** @param host without port, see {@link PeerAddress#hostOf} */
    public boolean matches(String host) {
        if (host.equals(text)) {
            return true;
        }
        AddressBlock wanted = block;
        AddressBlock address = wanted == null ? null : AddressBlock.ofHost(host);
        return address != null && wanted != null && wanted.contains(address);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressPattern pattern && text.equals(pattern.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return "AddressPattern[" + text + "]";
    }
}
