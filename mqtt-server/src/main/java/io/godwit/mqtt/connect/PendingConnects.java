package io.godwit.mqtt.connect;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the heap of CONNECTs that wait for a password check, an AUTH or a store. Anybody can send one, so they have a
 * budget of their own. Small ones are free: the connection limit bounds their memory, and senders of large ones cannot
 * keep others from logging in.
 *
 * <p>Thread-safe: all event loops share the budget.
 */
final class PendingConnects {
    static final int SMALL_BYTES = 4096;

    /**
     * Heap of two strings with their arrays, the record and its place in the list, without the characters; computed for
     * a 64-bit JVM with compressed references (124) and rounded up.
     */
    private static final int USER_PROPERTY_BYTES = 130;

    private final long limitBytes;
    private final AtomicLong bytes = new AtomicLong();

    /** @param limitBytes 0 for no limit */
    PendingConnects(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes from the budget if possible; if true, {@link #leave} must follow with the same number. */
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

    /** Bytes of waiting CONNECTs, without small ones. */
    long bytes() {
        return bytes.get();
    }

    /** About the heap size of a CONNECT; at most twice the true size. */
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

    /** Two bytes each: one character beyond Latin-1 makes all of them take two. */
    private static long chars(@Nullable String text) {
        return text == null ? 0 : 2L * text.length();
    }

    private static long length(byte @Nullable [] data) {
        return data == null ? 0 : data.length;
    }
}
