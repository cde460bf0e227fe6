package io.godwit.broker;

import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.transport.Listener;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients of MQTT 5.0 within the broker's process, all on one event loop. They hold almost no memory, and distinguish
 * packets only by their first byte. Used by one thread.
 */
final class InMemoryClients implements AutoCloseable {
    static final String THREAD = "in-memory-clients";

    private static final int WARM_UP = 2_000;
    private static final int IN_PROGRESS = 1_024;
    private static final int KEEP_ALIVE_SECONDS = 3_600;
    private static final int PAYLOAD_BYTES = 32;
    /** The most publishes under way, below the broker's Receive Maximum. */
    private static final int WINDOW = 800;

    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoopGroup group = newGroup();
    private final SocketAddress address;
    private final long expirySeconds;
    private final PacketEncoder encoder = new PacketEncoder(5, -1, true);
    private final List<Channel> channels = new ArrayList<>();
    /** Clients that are not counted. */
    private final List<Channel> others = new ArrayList<>();

    private final Semaphore room = new Semaphore(IN_PROGRESS);
    /** A permit for each free place in the publisher's window. */
    private final Semaphore acknowledgements = new Semaphore(WINDOW);

    private final AtomicLong pings = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    /** Receives latencies, on the loop; null while they are not measured. */
    private volatile @Nullable Histogram latencies;

    /** Why a client could not connect last. */
    private volatile @Nullable Throwable lastFailure;

    private volatile boolean isClosing;

    /** @param address of a listener in memory in the broker's configuration */
    InMemoryClients(InetSocketAddress address, long expirySeconds) {
        this.address = Listener.inMemoryAddress(address);
        this.expirySeconds = expirySeconds;
    }

    private static EventLoopGroup newGroup() {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(THREAD), LocalIoHandler.newFactory());
    }

    /** Bytes of heap in use after garbage collections. */
    static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Pace.passMillis(200);
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Bytes of a connected pair of channels without handlers, except for an empty one on the client's side. */
    static long bytesOfABarePair(int pairs) throws InterruptedException {
        EventLoopGroup group = newGroup();
        LocalAddress address = new LocalAddress("bare");
        try {
            new ServerBootstrap()
                    .group(group)
                    .channel(LocalServerChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public boolean isSharable() {
                            return true;
                        }
                    })
                    .bind(address)
                    .sync();
            Bootstrap bootstrap =
                    new Bootstrap().group(group).channel(LocalChannel.class).remoteAddress(address);
            List<Channel> open = new ArrayList<>();
            long before = usedHeap();
            for (int i = 0; i < pairs; i++) {
                open.add(bootstrap
                        .clone()
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect()
                        .sync()
                        .channel());
            }
            long after = usedHeap();
            open.forEach(Channel::close);
            return Math.max(0, (after - before) / pairs);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    /**
     * Has classes loaded and buffers pooled before memory is measured. These clients stay connected but are not
     * counted.
     */
    void warmUp() throws InterruptedException {
        open("warm-up-", 0, WARM_UP, done -> {});
        others.addAll(channels);
        channels.clear();
    }

    /** Connects {@code count} clients and has each subscribe; returns when all have subscribed. */
    void connect(int count, IntConsumer progress) throws InterruptedException {
        connect(0, count, progress);
    }

    /** As {@link #connect(int, IntConsumer)}, for the clients from {@code first} to below {@code end}. */
    void connect(int first, int end, IntConsumer progress) throws InterruptedException {
        open("s", first, end, progress);
    }

    /** Closes all connections without a DISCONNECT; returns when the broker has noticed. */
    void cut() throws InterruptedException {
        isClosing = true;
        for (Channel channel : channels) {
            channel.close();
        }
        for (Channel channel : channels) {
            channel.closeFuture().sync();
        }
        channels.clear();
        Pace.passMillis(2_000);
        isClosing = false;
    }

    /**
     * Publishes a message of 32 bytes, QoS 1, to each of the sessions from {@code first} to below {@code end}; returns
     * when all are acknowledged.
     */
    void publishToEach(int first, int end) throws InterruptedException {
        Channel channel = publisher();
        Semaphore window = acknowledgements;
        for (int i = first; i < end; i++) {
            window.acquire();
            Publish publish = new Publish(
                    i % 65_535 + 1,
                    false,
                    Qos.AT_LEAST_ONCE,
                    false,
                    "t/s" + i,
                    new byte[PAYLOAD_BYTES],
                    MessageProperties.NONE);
            group.execute(() -> send(channel, publish));
        }
        if (!window.tryAcquire(WINDOW, 1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("not all publishes were acknowledged");
        }
        window.release(WINDOW);
        channel.close().sync();
    }

    private Channel publisher() throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(LocalChannel.class)
                .remoteAddress(address)
                .handler(new Client(null))
                .connect()
                .sync()
                .channel();
    }

    private void open(String prefix, int first, int count, IntConsumer progress) throws InterruptedException {
        Bootstrap bootstrap =
                new Bootstrap().group(group).channel(LocalChannel.class).remoteAddress(address);
        for (int i = first; i < count; i++) {
            room.acquire();
            // explicit addresses, as Netty's generated ones are hash codes, of which some of a million are equal
            ChannelFuture connected = bootstrap
                    .clone()
                    .handler(new Client(prefix + i))
                    .localAddress(new LocalAddress(prefix + i))
                    .connect();
            connected.addListener(outcome -> {
                if (!outcome.isSuccess()) {
                    lost.incrementAndGet();
                    lastFailure = outcome.cause();
                    room.release();
                }
            });
            channels.add(connected.channel());
            if ((i + 1) % 100_000 == 0) {
                progress.accept(i + 1);
            }
        }
        if (!room.tryAcquire(IN_PROGRESS, 1, TimeUnit.MINUTES)) {
            int missing = IN_PROGRESS - room.availablePermits();
            throw new IllegalStateException(
                    missing + " clients could not subscribe, " + lost + " connections were lost or refused",
                    lastFailure);
        }
        room.release(IN_PROGRESS);
    }

    long lost() {
        return lost.get();
    }

    /** Why the last client that failed could not connect; null if none failed. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** The number of pings that were answered. */
    long pings() {
        return pings.get();
    }

    /** Has each client ping once in {@code interval}, in rotation, for {@code length}; returns the number of pings. */
    long ping(Duration length, Duration interval) throws InterruptedException {
        long begun = System.nanoTime();
        double perNano = channels.size() / (double) interval.toNanos();
        long sent = 0;
        for (long now = begun; now - begun < length.toNanos(); now = System.nanoTime()) {
            sent = pingUpTo((long) ((now - begun) * perNano), sent);
            Pace.passNanos(SLICE_NANOS);
        }
        long expected = pings.get();
        await(() -> pings.get() >= expected);
        return sent;
    }

    private long pingUpTo(long due, long sent) {
        if (due > sent) {
            group.execute(() -> {
                for (long i = sent; i < due; i++) {
                    send(channels.get((int) (i % channels.size())), new PingReq());
                }
            });
        }
        return Math.max(due, sent);
    }

    /**
     * Publishes to random clients, QoS 1 from one more client, while all ping. Latencies are from the time when a
     * message was due to its arrival.
     *
     * @return the number of messages sent
     */
    long publish(Duration length, int rate, Duration pingInterval, Histogram micros) throws InterruptedException {
        Channel channel = publisher();
        others.add(channel);
        Random random = new Random(42);
        latencies = micros;
        delivered.set(0);
        double perNano = channels.size() / (double) pingInterval.toNanos();
        long begun = System.nanoTime();
        long total = length.toSeconds() * rate;
        long pinged = 0;
        for (long i = 0; i < total; i++) {
            long due = begun + i * 1_000_000_000L / rate;
            Pace.until(due);
            pinged = pingUpTo((long) ((due - begun) * perNano), pinged);
            byte[] payload = ByteBuffer.allocate(PAYLOAD_BYTES).putLong(due).array();
            int packetId = (int) (i % 65_535) + 1;
            String topic = "t/s" + random.nextInt(channels.size());
            group.execute(() -> send(
                    channel,
                    new Publish(packetId, false, Qos.AT_LEAST_ONCE, false, topic, payload, MessageProperties.NONE)));
        }
        await(() -> delivered.get() >= total);
        return total;
    }

    private static void await(BooleanSupplier condition) {
        Await looks = Await.atMost(Duration.ofSeconds(20));
        boolean isInTime = true;
        while (!condition.getAsBoolean() && isInTime) {
            isInTime = looks.again(); // else the figures show it
        }
    }

    private void send(Channel channel, Packet... packets) {
        ByteBuf out = channel.alloc().buffer(128);
        for (Packet packet : packets) {
            encoder.encode(packet, out);
        }
        channel.writeAndFlush(out, channel.voidPromise());
    }

    @Override
    public void close() {
        channels.addAll(others);
        try {
            cut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Connects and, with a name, subscribes to a topic of its own; answers QoS 1. */
    private final class Client extends ChannelInboundHandlerAdapter {
        private @Nullable String name;

        private Client(@Nullable String name) {
            this.name = name;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            String id = name;
            if (id == null) {
                send(ctx.channel(), connect("publisher", 0));
                return;
            }
            name = null; // the string is the broker's alone to keep
            TopicFilter filter = TopicFilter.parse("t/" + id).orElseThrow();
            send(
                    ctx.channel(),
                    connect(id, expirySeconds),
                    new Subscribe(1, List.of(new Subscription(filter, Qos.AT_LEAST_ONCE))));
        }

        private Connect connect(String id, long expiry) {
            return new Connect(
                    5,
                    true,
                    KEEP_ALIVE_SECONDS,
                    id,
                    null,
                    null,
                    null,
                    expiry,
                    -1,
                    -1,
                    -1,
                    false,
                    true,
                    List.of(),
                    null,
                    null);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf in = (ByteBuf) msg;
            while (in.isReadable()) {
                int first = in.readUnsignedByte() >> 4;
                int length = readLength(in);
                switch (first) {
                    case 3 -> arrived(ctx.channel(), in.slice(in.readerIndex(), length));
                    case 4 -> acknowledged();
                    case 9 -> room.release();
                    case 13 -> pings.incrementAndGet();
                    default -> {}
                }
                in.skipBytes(length);
            }
            in.release();
        }

        private void acknowledged() {
            if (latencies == null) {
                acknowledgements.release();
            }
        }

        private void arrived(Channel channel, ByteBuf publish) {
            publish.skipBytes(publish.readUnsignedShort());
            int packetId = publish.readUnsignedShort();
            publish.skipBytes(readLength(publish));
            long due = publish.readLong();
            Histogram histogram = latencies;
            if (histogram != null) {
                histogram.recordValue(Math.max(0, (System.nanoTime() - due) / 1_000));
                delivered.incrementAndGet();
            }
            ByteBuf ack = channel.alloc().buffer(4).writeInt(0x40020000 | packetId);
            channel.writeAndFlush(ack, channel.voidPromise());
        }

        private static int readLength(ByteBuf in) {
            int length = 0;
            int shift = 0;
            int next;
            do {
                next = in.readByte();
                length |= (next & 0x7F) << shift;
                shift += 7;
            } while (next < 0);
            return length;
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!isClosing) {
                lost.incrementAndGet();
            }
        }
    }
}
