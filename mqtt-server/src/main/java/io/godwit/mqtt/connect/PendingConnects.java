package io.godwit.mqtt.connect;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.WillPacket;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of CONNECTs that wait: for a password to be verified, for an AUTH, for a store. Anybody can send
 * one, so they share a budget of their own, in bytes on the heap. Small ones need no room: so many connections, so
 * little memory, and who sends large ones keeps nobody else from logging in.
 *
 * <p>Thread-safe: all event loops share the budget.
 */
final class PendingConnects {
    static final int SMALL_BYTES = 4096;

    /**
     * Two strings with their arrays, the record and its place in the list, without the characters; computed for a JVM
     * of 64 bits with compressed references (124) and rounded up.
     */
    private static final int USER_PROPERTY_BYTES = 130;

    private final long limitBytes;
    private final AtomicLong bytes = new AtomicLong();

    /** @param limitBytes 0 for no limit */
    PendingConnects(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Whether there is room; then {@link #leave} is due with the same number. */
    boolean enter(long heapBytes) {
        if (limitBytes == 0 || heapBytes <= SMALL_BYTES) {
            return true;
        }
        if (bytes.addAndGet(heapBytes) <= limitBytes) {
            return true;
        }
        bytes.addAndGet(-heapBytes);
        return false;
    }

    void leave(long heapBytes) {
        if (limitBytes > 0 && heapBytes > SMALL_BYTES) {
            bytes.addAndGet(-heapBytes);
        }
    }

    /** What waits, small ones not counted. */
    long bytes() {
        return bytes.get();
    }

    /** About what it takes on the heap, at most twice as much as it does. */
    static long heapBytes(Connect connect) {
        long sum = 256 + chars(connect.clientId()) + chars(connect.userName()) + length(connect.password());
        sum += chars(connect.authenticationMethod()) + length(connect.authenticationData());
        sum += heapBytes(connect.userProperties());
        WillPacket will = connect.will();
        if (will != null) {
            sum += chars(will.topic()) + will.payload().length;
            sum += heapBytes(will.properties().userProperties());
            sum += chars(will.properties().contentType())
                    + chars(will.properties().responseTopic());
            sum += length(will.properties().correlationData());
        }
        return sum;
    }

    private static long heapBytes(List<UserProperty> properties) {
        long sum = 0;
        for (UserProperty property : properties) {
            sum += USER_PROPERTY_BYTES + chars(property.name()) + chars(property.value());
        }
        return sum;
    }

    /** Two bytes each: one character beyond Latin-1 makes all of them so long. */
    private static long chars(@Nullable String text) {
        return text == null ? 0 : 2L * text.length();
    }

    private static long length(byte @Nullable [] data) {
        return data == null ? 0 : data.length;
    }
}
