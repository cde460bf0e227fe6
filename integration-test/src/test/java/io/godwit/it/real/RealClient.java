package io.godwit.it.real;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection of a client library. All calls wait for the broker's answer. */
interface RealClient extends AutoCloseable {
    /** Returns whether the broker had the session. */
    boolean connect() throws Exception;

    void subscribe(String filter, int qos) throws Exception;

    void publish(String topic, String payload, int qos, boolean retain) throws Exception;

    void disconnect() throws Exception;

    /** Frees what the library holds, connected or not. */
    @Override
    void close() throws IOException;

    /** @param retained the RETAIN flag as received */
    record Message(String topic, String payload, int qos, boolean retained) {}

    record Will(String topic, String payload, int qos) {}

    /**
     * @param clean whether a new session is begun that ends with the connection; else it is kept, for a day where that
     *     can be said
     * @param acknowledges whether received messages are acknowledged at all
     */
    record Settings(
            InetSocketAddress address,
            Via via,
            String clientId,
            boolean clean,
            @Nullable Will will,
            boolean acknowledges,
            BlockingQueue<Message> received) {

        static Settings of(InetSocketAddress address, String clientId) {
            return of(address, Via.TCP, clientId);
        }

        static Settings of(InetSocketAddress address, Via via, String clientId) {
            return new Settings(address, via, clientId, true, null, true, new LinkedBlockingQueue<>());
        }

        Settings persistent() {
            return new Settings(address, via, clientId, false, will, acknowledges, new LinkedBlockingQueue<>());
        }

        Settings withWill(Will newWill) {
            return new Settings(address, via, clientId, clean, newWill, acknowledges, received);
        }

        Settings withoutAcknowledgements() {
            return new Settings(address, via, clientId, clean, will, false, received);
        }

        String host() {
            return address.getAddress().getHostAddress();
        }

        String uri() {
            return via.uri(host() + ':' + address.getPort());
        }

        /** The next message, or null when there is none in {@code patience}. */
        @Nullable
        Message next(Duration patience) throws InterruptedException {
            return received.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
