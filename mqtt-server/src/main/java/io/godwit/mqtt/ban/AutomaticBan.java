package io.godwit.mqtt.ban;

import io.godwit.plugin.event.BanCause;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A ban that this node has made by itself and that holds on this node only.
 *
 * @param id the same on each node for the same cause and subject; see {@link #isId}
 * @param tenant of a client id; empty for a source
 * @param subject a client id, or a source: an address, or the block of 64 bits of an IPv6 address
 * @param mountPoint of the listeners on which a client id is banned; empty for none, and for a source
 * @param age how long it has been in force
 * @param left time until it ends; at least a millisecond
 */
public record AutomaticBan(
        String id, BanCause cause, String tenant, String subject, String mountPoint, Duration age, Duration left) {
    private static final Pattern ID = Pattern.compile("auto-(?:c-[A-Za-z0-9_-]{22}|[fsv]-[0-9a-f]{16})");

    /** Whether the id is that of an automatic ban; the ids of operators' bans have 22 characters. */
    public static boolean isId(String id) {
        return ID.matcher(id).matches();
    }
}
