package io.godwit.it.client;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One MQTT client over any number of connections, one at a time. It keeps the client's half of the session: what it has
 * published and seen no acknowledgement of is sent again, in order and under the same packet ids, when the broker says
 * that it still has the session [MQTT5-4.4.0-1].
 *
 * <p>{@link #connect} over a standing connection is a takeover: the old socket stays open and is not listened to any
 * more, but for what {@link Tap#answered} tells. It may go to another node of the same cluster ({@link #moveTo}).
 *
 * <p>Thread-safe: one lock guards all state, and is held while a packet is tapped and handed to the link, so that the
 * tap's order is the wire's.
 */
public final class TestClient implements AutoCloseable {
    private static final long REPLY_SECONDS = 10;

    private final ClientConfig config;
    private final Consumer<Packet.Publish> listener;
    private final BlockingQueue<Packet.Publish> messages = new LinkedBlockingQueue<>();
    private final Link.Handler handler = new Handler();

    // per session
    /** Unacknowledged publishes in the order in which they were first sent, or (once received) released. */
    private final Map<Integer, Outbound> outbound = new LinkedHashMap<>();

    private final Set<Integer> unreleased = new HashSet<>();
    private int lastPacketId;
    private Supplier<InetSocketAddress> destination;
    private boolean pingsSuperseded;

    // per connection
    private final List<Link> superseded = new ArrayList<>();
    private final Map<Integer, CompletableFuture<Packet>> requests = new HashMap<>();
    private @Nullable Link link;
    private @Nullable CompletableFuture<Packet.Connack> connack;
    private boolean open;
    private int window;
    private int connections;
    private int lastDisconnectCode = -1;

    /** Received messages are queued for {@link #next}. */
    public TestClient(ClientConfig config) {
        this.config = config;
        this.listener = messages::add;
        this.destination = config::address;
    }

    /** @param listener is given received messages, on the reading thread; those of QoS 2 once each */
    public TestClient(ClientConfig config, Consumer<Packet.Publish> listener) {
        this.config = config;
        this.listener = listener;
        this.destination = config::address;
    }

    private static final class Outbound {
        final Packet.Publish publish;
        final CompletableFuture<Ack> done = new CompletableFuture<>();
        boolean released;

        Outbound(Packet.Publish publish) {
            this.publish = publish;
        }
    }

    /** The next connections go there. */
    public synchronized void moveTo(InetSocketAddress address) {
        destination = () -> address;
    }

    /** Each next connection goes to what is given then; asked under this client's lock. */
    public synchronized void moveAmong(Supplier<InetSocketAddress> addresses) {
        destination = addresses;
    }

    /**
     * From now on a CONNACK has this client send a PINGREQ over each connection that was taken over. A broker that
     * answers one serves two connections of one client: {@link Tap#answered}.
     */
    public synchronized void pingSuperseded() {
        pingsSuperseded = true;
    }

    public Packet.Connack connect() throws IOException {
        return connect(config.connect());
    }

    /** {@link #connect()} with a clean start; the session then lasts as long as the configuration says. */
    public Packet.Connack connectAnew() throws IOException {
        Packet.Connect usual = config.connect();
        return connect(new Packet.Connect(
                usual.version(),
                usual.clientId(),
                true,
                usual.keepAliveSeconds(),
                usual.properties(),
                usual.will(),
                usual.login()));
    }

    /**
     * Connects and waits for the CONNACK; then sends again what is unacknowledged.
     *
     * @throws IOException when there is no CONNACK; one that refuses is returned
     */
    public Packet.Connack connect(Packet.Connect connect) throws IOException {
        CompletableFuture<Packet.Connack> reply = new CompletableFuture<>();
        Link fresh;
        synchronized (this) {
            fresh = new Link(destination.get(), config.version(), ++connections, handler);
            if (link != null) {
                superseded.add(link);
            }
            forgetConnection();
            link = fresh;
            connack = reply;
            fresh.start(config.clientId() + '-' + fresh.number());
            send(fresh, connect);
            fresh.flush();
        }
        try {
            return await(reply);
        } catch (IOException e) {
            fresh.abort();
            throw e;
        }
    }

    public String clientId() {
        return config.clientId();
    }

    /** Whether the session outlives its connections. */
    public boolean isPersistent() {
        return config.persistent();
    }

    public synchronized boolean isOpen() {
        return open;
    }

    /** Ends the connection properly. */
    public synchronized void disconnect() {
        Link standing = link;
        if (standing == null) {
            return;
        }
        try {
            send(standing, new Packet.Disconnect(0, Properties.NONE));
            standing.flush();
        } catch (IOException e) {
            // then it was lost before
        }
        forgetConnection();
        standing.close();
    }

    /** Ends the connection with a reset of the socket. */
    public synchronized void abort() {
        Link standing = link;
        if (standing != null) {
            config.tap().aborted(standing.number());
            forgetConnection();
            standing.abort();
        }
    }

    /** Aborts what stands; the old sockets of takeovers are closed, too. */
    @Override
    public synchronized void close() {
        abort();
        superseded.forEach(Link::abort);
        superseded.clear();
    }

    /** Whether {@link #publish} at QoS 1 and 2 may be called now: connected, and the window is open. */
    public synchronized boolean canPublish() {
        return open && outbound.size() < window;
    }

    public synchronized int unacknowledged() {
        return outbound.size();
    }

    public CompletableFuture<@Nullable Ack> publish(String topic, String payload, int qos) throws IOException {
        CompletableFuture<@Nullable Ack> done =
                publish(topic, payload.getBytes(StandardCharsets.UTF_8), qos, false, Properties.NONE);
        flush();
        return done;
    }

    /**
     * Sends one message, not flushed. The future completes with the PUBACK, PUBCOMP or refusing PUBREC, over as many
     * connections as it takes, or with null at once for QoS 0.
     *
     * @throws IOException when there is no connection; the message is then not sent and not kept
     */
    public synchronized CompletableFuture<@Nullable Ack> publish(
            String topic, byte[] payload, int qos, boolean retain, Properties properties) throws IOException {
        Link standing = standing();
        if (qos == 0) {
            send(standing, new Packet.Publish(topic, payload, 0, false, retain, 0, properties));
            return CompletableFuture.completedFuture(null);
        }
        int packetId = freePacketId();
        Outbound message = new Outbound(new Packet.Publish(topic, payload, qos, false, retain, packetId, properties));
        outbound.put(packetId, message);
        try {
            send(standing, message.publish);
        } catch (IOException e) {
            // it is kept, and goes out again on the next connection
        }
        return message.done.thenApply(ack -> ack);
    }

    public void flush() throws IOException {
        Link standing;
        synchronized (this) {
            standing = link;
        }
        if (standing != null) {
            standing.flush();
        }
    }

    /** Subscribes and waits for the SUBACK; returns its code. */
    public int subscribe(String filter, int options) throws IOException {
        return subscribe(List.of(new Packet.Request(filter, options)), Properties.NONE)
                .get(0);
    }

    public List<Integer> subscribe(List<Packet.Request> filters, Properties properties) throws IOException {
        Packet reply = request(packetId -> new Packet.Subscribe(packetId, filters, properties));
        return ((Packet.Suback) reply).codes();
    }

    /** Unsubscribes and waits for the UNSUBACK; returns its code, 0 under 3.1.1. */
    public int unsubscribe(String filter) throws IOException {
        List<Integer> codes = unsubscribe(List.of(filter));
        return codes.isEmpty() ? 0 : codes.get(0);
    }

    public List<Integer> unsubscribe(List<String> filters) throws IOException {
        Packet reply = request(packetId -> new Packet.Unsubscribe(packetId, filters));
        return ((Packet.Unsuback) reply).codes();
    }

    /** The next message received, or null when there is none in {@code patience}. */
    public Packet.@Nullable Publish next(Duration patience) throws InterruptedException {
        return messages.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The reason code of the last DISCONNECT received, or -1. */
    public synchronized int lastDisconnectCode() {
        return lastDisconnectCode;
    }

    private interface Request {
        Packet of(int packetId);
    }

    private Packet request(Request request) throws IOException {
        CompletableFuture<Packet> reply = new CompletableFuture<>();
        synchronized (this) {
            Link standing = standing();
            int packetId = freePacketId();
            requests.put(packetId, reply);
            send(standing, request.of(packetId));
            standing.flush();
        }
        return await(reply);
    }

    private static <T> T await(CompletableFuture<T> reply) throws IOException {
        try {
            return reply.get(REPLY_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no reply in " + REPLY_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private Link standing() throws IOException {
        if (link == null || !open) {
            throw new IOException(config.clientId() + " is not connected");
        }
        return link;
    }

    private void send(Link to, Packet packet) throws IOException {
        config.tap().out(to.number(), packet);
        to.write(packet);
    }

    private int freePacketId() {
        do {
            lastPacketId = lastPacketId % 65_535 + 1;
        } while (outbound.containsKey(lastPacketId) || requests.containsKey(lastPacketId));
        return lastPacketId;
    }

    private void forgetConnection() {
        link = null;
        open = false;
        IOException gone = new IOException(config.clientId() + ": the connection is gone");
        if (connack != null) {
            connack.completeExceptionally(gone);
            connack = null;
        }
        requests.values().forEach(reply -> reply.completeExceptionally(gone));
        requests.clear();
    }

    /** What arrives; each call takes the client's lock. */
    private final class Handler implements Link.Handler {
        @Override
        public void received(Link from, Packet packet) throws IOException {
            synchronized (TestClient.this) {
                if (from != link) {
                    if (packet instanceof Packet.PingResponse) {
                        config.tap().answered(from.number());
                    }
                    return;
                }
                config.tap().in(from.number(), packet);
                if (packet instanceof Packet.Publish publish) {
                    publish(from, publish);
                } else if (packet instanceof Ack ack) {
                    acknowledged(from, ack);
                } else if (packet instanceof Packet.Connack reply) {
                    opened(from, reply);
                } else if (packet instanceof Packet.Suback suback) {
                    answered(suback.packetId(), suback);
                } else if (packet instanceof Packet.Unsuback unsuback) {
                    answered(unsuback.packetId(), unsuback);
                } else if (packet instanceof Packet.Disconnect disconnect) {
                    lastDisconnectCode = disconnect.code();
                }
            }
        }

        @Override
        public void ended(Link from) {
            synchronized (TestClient.this) {
                if (from == link) {
                    config.tap().lost(from.number());
                    forgetConnection();
                }
                superseded.remove(from);
            }
        }

        private void opened(Link from, Packet.Connack reply) throws IOException {
            if (reply.code() == 0) {
                open = true;
                if (pingsSuperseded) {
                    superseded.forEach(Handler::ping);
                }
                window = (int) Math.min(
                        config.window(),
                        reply.properties().number(Properties.RECEIVE_MAXIMUM).orElse(65_535));
                if (!reply.sessionPresent()) {
                    unreleased.clear();
                    outbound.values().forEach(lost -> lost.done.cancel(false));
                    outbound.clear();
                }
                for (Outbound message : outbound.values()) {
                    send(from, message.released ? release(message) : again(message.publish));
                }
                from.flush();
            }
            CompletableFuture<Packet.Connack> waiting = connack;
            connack = null;
            if (waiting != null) {
                waiting.complete(reply);
            }
        }

        /** A link that has ended needs none. */
        private static void ping(Link old) {
            try {
                old.write(new Packet.PingRequest());
                old.flush();
            } catch (IOException e) {
                // as it should be
            }
        }

        private void publish(Link from, Packet.Publish publish) {
            int packetId = publish.packetId();
            if (publish.qos() == 0) {
                listener.accept(publish);
            } else if (publish.qos() == 1) {
                listener.accept(publish);
                config.acks().received(() -> acknowledge(from, new Ack(Ack.Kind.PUBACK, packetId, 0)));
            } else {
                if (unreleased.add(packetId)) {
                    listener.accept(publish);
                }
                config.acks().received(() -> acknowledge(from, new Ack(Ack.Kind.PUBREC, packetId, 0)));
            }
        }

        private void acknowledged(Link from, Ack ack) throws IOException {
            if (ack.kind() == Ack.Kind.PUBREL) {
                unreleased.remove(ack.packetId());
                config.acks().received(() -> acknowledge(from, new Ack(Ack.Kind.PUBCOMP, ack.packetId(), 0)));
                return;
            }
            Outbound message = outbound.get(ack.packetId());
            if (message == null) {
                return; // the tap has seen it, and what it is worth is for the checker to say
            }
            if (ack.kind() == Ack.Kind.PUBREC && ack.code() < 0x80) {
                message.released = true;
                send(from, release(message));
            } else {
                outbound.remove(ack.packetId());
                message.done.complete(ack);
            }
        }

        private void acknowledge(Link on, Ack ack) {
            synchronized (TestClient.this) {
                if (on != link) {
                    return; // the broker will send the message again
                }
                try {
                    send(on, ack);
                    if (config.acks() != AckPolicy.AT_ONCE) { // those made at once go out with the reader's next flush
                        on.flush();
                    }
                } catch (IOException e) {
                    // the connection is gone, which its reader will notice
                }
            }
        }

        private void answered(int packetId, Packet packet) {
            CompletableFuture<Packet> reply = requests.remove(packetId);
            if (reply != null) {
                reply.complete(packet);
            }
        }

        private Ack release(Outbound message) {
            return new Ack(Ack.Kind.PUBREL, message.publish.packetId(), 0);
        }

        private Packet.Publish again(Packet.Publish first) {
            return new Packet.Publish(
                    first.topic(),
                    first.payload(),
                    first.qos(),
                    true,
                    first.retain(),
                    first.packetId(),
                    first.properties());
        }
    }
}
