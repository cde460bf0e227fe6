package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.Connection.Pause;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.DisconnectCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares connections with a model that looks at each of them every second: in all cases their time-outs pass in the
 * same second as the model's.
 */
class ConnectionTimeoutsTest {
    private static final int CONNECT_TIMEOUT = 5;
    private static final int CLOSE_TIMEOUT = 2;
    private static final int CLIENTS = 100;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final ListenerScope scope = new ListenerScope(
            ListenerConfig.tcp(
                    new InetSocketAddress(0),
                    new ListenerLimits(1024, 0, 0, Duration.ofSeconds(CONNECT_TIMEOUT), 0, 0, 0, 0)),
            new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), event -> {}),
            new HalfReceived(1 << 20),
            Bans.NONE);
    private final List<Client> clients = new ArrayList<>();

    private int connectTimeouts;
    private int keepAliveTimeouts;
    private int closeTimeouts;
    /** Ticks that sessions got, and ticks that they could have got. */
    private int ticks;

    private int acceptedSeconds;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void eachPassesInItsSecond(long seed) {
        compare(seed);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {5, 6, 7, 8})
    void eachPassesInItsSecondFromMoreSeeds(long seed) {
        compare(seed);
    }

    private void compare(long seed) {
        Random random = new Random(seed);
        loop.bindToCurrentThread();
        for (int second = 1; second <= 400; second++) {
            while (clients.size() < CLIENTS) {
                clients.add(new Client(random.nextInt(10)));
            }
            for (Client client : clients) {
                if (random.nextInt(client.pace) == 0) {
                    client.act(random);
                }
            }
            if (random.nextInt(5) == 0) {
                loop.setMemoryShort(!loop.isMemoryShort());
            }
            runTasks();
            removeGone();

            clients.forEach(Client::expectLook);
            loop.sweep();
            runTasks();

            for (Client client : clients) {
                client.check("second " + second + " of seed " + seed);
            }
            removeGone();
        }
        clients.forEach(client -> client.channel.finishAndReleaseAll());
        assertThat(connectTimeouts).isGreaterThan(100);
        assertThat(keepAliveTimeouts).isGreaterThan(100);
        assertThat(closeTimeouts).isGreaterThan(20);
        assertThat(ticks).isBetween(1, acceptedSeconds * 4 / 5);
    }

    private void removeGone() {
        for (Client client : clients) {
            if (client.state == Expected.GONE) {
                client.channel.finishAndReleaseAll();
            }
        }
        clients.removeIf(client -> client.state == Expected.GONE);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private enum Expected {
        OPENING,
        ACCEPTED,
        /** Its socket lingers, since it takes nothing. */
        CLOSING,
        GONE
    }

    private final class Client implements PacketHandler {
        private final EmbeddedChannel channel = new EmbeddedChannel();
        private final Socket socket = new Socket();
        private final MqttConnection connection =
                new MqttConnection(channel, loop, scope, PacketDecoder.forServer(1024), () -> {});
        /** It acts once in this many seconds on average. */
        private final int pace;

        private Expected state = Expected.OPENING;
        private final int openedTick = loop.tick();
        private int lastReadTick = openedTick;
        private int keepAlive;
        private final Set<Pause> pauses = EnumSet.noneOf(Pause.class);

        private boolean wantsTicks;
        private boolean isTickDue;
        private int told;
        private int toldBefore;
        private @Nullable String closed;
        private @Nullable String expectedReason;

        private Client(int quietness) {
            pace = 1 + quietness;
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(64, 128));
            connection.setHandler(this);
            channel.pipeline().addLast(socket, connection);
            channel.pipeline().fireChannelActive();
        }

        private void act(Random random) {
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> {
                    connection.onMqttRead();
                    lastReadTick = loop.tick();
                }
                case 3, 4 -> accept(random.nextInt(7));
                case 5 ->
                    pause(
                            state == Expected.OPENING
                                    ? Pause.CONNECTING
                                    : random.nextBoolean() ? Pause.UNACKNOWLEDGED : Pause.MEMORY);
                case 6, 7 -> List.copyOf(pauses).forEach(this::resume);
                case 8 -> {
                    wantsTicks = !wantsTicks;
                    isTickDue |= wantsTicks;
                    if (wantsTicks) {
                        connection.needTicks();
                    }
                }
                case 9 -> fill();
                case 10 -> socket.isStuck = true;
                case 11 -> {
                    socket.isStuck = false;
                    channel.flush();
                    if (state == Expected.CLOSING) {
                        state = Expected.GONE;
                    }
                }
                default -> {
                    if (random.nextInt(3) == 0) {
                        end("left");
                        connection.close("left");
                    }
                }
            }
        }

        private void accept(int keepAliveSeconds) {
            if (state != Expected.OPENING) {
                return;
            }
            resume(Pause.CONNECTING);
            connection.setUp(new Connect(5, true, keepAliveSeconds, "c", null, null, null), keepAliveSeconds);
            connection.accepted();
            keepAlive = keepAliveSeconds;
            state = Expected.ACCEPTED;
            isTickDue = true;
        }

        private void pause(Pause reason) {
            connection.pauseReading(reason);
            if (isOpen()) {
                pauses.add(reason);
            }
        }

        private void resume(Pause reason) {
            if (pauses.remove(reason)) {
                connection.resumeReading(reason);
                if (pauses.isEmpty()) {
                    lastReadTick = loop.tick();
                }
            }
        }

        /** Its socket takes no more, and there is as much as makes it not writable. */
        private void fill() {
            if (state == Expected.ACCEPTED && channel.isWritable()) {
                socket.isStuck = true;
                for (int i = 0; i < 80; i++) {
                    connection.send(new PingResp());
                }
            }
        }

        private boolean isOpen() {
            return state == Expected.OPENING || state == Expected.ACCEPTED;
        }

        private void end(String reason) {
            if (isOpen()) {
                expectedReason = reason;
                lastReadTick = loop.tick();
                pauses.clear();
                state = socket.isStuck ? Expected.CLOSING : Expected.GONE;
            }
        }

        /** The result that the next sweep should have. */
        private void expectLook() {
            int tick = loop.tick() + 1;
            int quiet = tick - lastReadTick;
            toldBefore = told;
            if (pauses.contains(Pause.MEMORY) && !loop.isMemoryShort()) {
                pauses.remove(Pause.MEMORY);
                if (pauses.isEmpty()) {
                    lastReadTick = tick;
                }
            }
            switch (state) {
                case OPENING -> {
                    if (tick - openedTick > CONNECT_TIMEOUT && !pauses.contains(Pause.CONNECTING)) {
                        connectTimeouts++;
                        endAt(tick, "no CONNECT in time");
                    }
                }
                case ACCEPTED -> {
                    acceptedSeconds++;
                    if (!pauses.isEmpty()) {
                        lastReadTick = tick;
                    } else if (keepAlive > 0 && quiet > (3 * keepAlive + 1) / 2) {
                        keepAliveTimeouts++;
                        endAt(tick, "KEEP_ALIVE_TIMEOUT");
                    }
                }
                case CLOSING -> {
                    if (quiet > CLOSE_TIMEOUT) {
                        closeTimeouts++;
                        state = Expected.GONE;
                    }
                }
                case GONE -> throw new AssertionError("it should have been removed");
            }
            isTickDue = state == Expected.ACCEPTED && (isTickDue || !connection.isWritable());
        }

        private void endAt(int tick, String reason) {
            end(reason);
            lastReadTick = tick;
        }

        private void check(String when) {
            assertThat(connection.isOpen()).as(when).isEqualTo(isOpen());
            assertThat(closed).as(when).isEqualTo(expectedReason);
            assertThat(channel.isOpen()).as(when).isEqualTo(state != Expected.GONE);
            assertThat(told - toldBefore).as(when).isBetween(isTickDue ? 1 : 0, 1);
            ticks += told - toldBefore;
            isTickDue = wantsTicks;
        }

        @Override
        public boolean onTick() {
            told++;
            return wantsTicks || !connection.isWritable();
        }

        @Override
        public void onClosed(DisconnectCause cause, String reason) {
            closed = reason;
        }

        @Override
        public void onPacket(Packet packet) {}

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onShutdown() {}
    }

    /** Accepts nothing while it is stuck. */
    private static final class Socket extends ChannelOutboundHandlerAdapter {
        private boolean isStuck;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!isStuck) {
                ctx.flush();
            }
        }
    }
}
