package io.godwit.mqtt.client;

import io.godwit.mqtt.ban.AddressBlock;
import org.jspecify.annotations.Nullable;

/**
 * Which address a client must have: one, however it is spelled, or a block. As in bans, an IPv4 address within IPv6 is
 * that IPv4 address, and a zone (behind {@code %}) does not matter. A text that is no address is that of clients which
 * have none, exactly. Equal when the texts are.
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
