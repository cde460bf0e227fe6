package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.codec.LoopTurns;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.codec.ReadListener;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.mqtt.transport.limit.DescriptorBudget;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.TickListener;
import io.godwit.mqtt.transport.report.TrafficMetrics;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.Qos;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's socket: the end of its pipeline. Passes packets to the {@link PacketHandler} and output to the
 * {@link OutBuffer}, checks its {@link Timeouts} in the loop's sweep, and closes. {@link ClosingSocket} turns every
 * error into an answer and a close, {@link Throttling} pauses the connection, and {@link Backlog} has the packets that
 * wait. Confined to the channel's event loop; an idle connection holds no buffer and no timer.
 *
 * <p>{@link #close} ends the connection for its handler at once, so that a session can be taken over from a stuck peer.
 * The socket lingers until the peer has closed its side too, a few seconds at most, unless the peer has sent its
 * DISCONNECT.
 */
public final class MqttConnection extends ClosingSocket implements TickListener, ReadListener, Backlog.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);

    private final LoopContext loop;
    private final TrafficMetrics traffic;
    private final PacketDecoder decoder;
    private final Runnable onGone;
    private final Throttling throttling;
    private final OutBuffer out;
    private final Timeouts timeouts = new Timeouts();

    private @Nullable PacketHandler handler;
    private State state = State.OPENING;
    private DisconnectCause closeCause = DisconnectCause.CONNECTION_LOST;

    private String closeReason = "connection lost";

    /** Packets that have to wait; null until the first of these. */
    private @Nullable Backlog backlog;

    /** Whether a byte has arrived. */
    private boolean hasRead;

    private boolean isTold;

    /** Its place in the sweep; -1 when it has none. */
    private int tickIndex = -1;

    /** @param onGone called once when the handler knows that the connection is over */
    public MqttConnection(
            Channel channel, LoopContext loop, ListenerScope scope, PacketDecoder decoder, Runnable onGone) {
        super(channel, scope);
        this.loop = loop;
        this.traffic = scope.reports().metrics().traffic();
        this.decoder = decoder;
        this.onGone = onGone;
        this.throttling = new Throttling(this, channel, scope);
        this.out = new OutBuffer(channel, loop, traffic, throttling);
    }

    @Override
    public LoopContext loop() {
        return loop;
    }

    @Override
    public int keepAliveSeconds() {
        return timeouts.keepAliveSeconds();
    }

    @Override
    public void endAfter(@Nullable Duration time) {
        if (timeouts.endAfter(loop.tick(), time)) {
            lookSoon();
        }
    }

    @Override
    public void setHandler(PacketHandler next) {
        handler = next;
    }

    @Override
    public void setUp(Connect connect, int keepAlive) {
        out.encodeBy(PacketEncoder.forClient(connect));
        timeouts.keepAlive(keepAlive);
    }

    @Override
    public void accepted() {
        if (state == State.OPENING) {
            state = State.ACCEPTED;
            DescriptorBudget.loggedIn(channel);
            lookSoon(); // another time-out applies now
        }
    }

    @Override
    public void limitRates(OptionalLong bytesIn, OptionalLong bytesOut, OptionalLong publishes) {
        throttling.limitRates(bytesIn, bytesOut, publishes);
    }

    @Override
    public void shareRates(TenantAccount account) {
        throttling.shareRates(account);
    }

    // ---- reading

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        scope.reports().metrics().connects().socketOpened();
        timeouts.opened(loop.tick());
        loop.addTicking(this);
    }

    /** Bytes on the wire, before they are decrypted or decoded. */
    void onBytesRead(int bytes) {
        hasRead = true;
        traffic.bytesIn(bytes);
        throttling.onBytesRead(bytes);
    }

    /** Bytes on the wire that arrived after the close. */
    void onBytesIgnored(int bytes) {
        traffic.bytesIgnored(bytes);
    }

    /** MQTT bytes have arrived: restarts the keep-alive. */
    void onMqttRead() {
        timeouts.read(loop.tick());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!isOpen() || handler == null) {
            traffic.packetsIgnored(1); // sent before the client knew of the close
            return;
        }
        traffic.packetIn();
        if (msg instanceof Publish) {
            throttling.onPublishRead();
        }
        try {
            handler.onPacket((Packet) msg);
        } catch (RuntimeException | Error e) { // outermost frame of all packet handling
            fail(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (isOpen() && handler != null) {
            try {
                handler.onReadComplete();
            } catch (RuntimeException | Error e) { // outermost frame
                fail(e);
            }
        }
    }

    @Override
    public void pauseReading(Pause reason) {
        if (!isOpen()) {
            return; // after a close the rest is read and discarded
        }
        throttling.pauseReading(reason);
    }

    @Override
    public void resumeReading(Pause reason) {
        if (!isOpen()) {
            return; // it would restart the time-out of the close
        }
        if (throttling.resumeReading(reason)) {
            timeouts.read(loop.tick());
        }
        if (backlog != null) {
            backlog.onResumed(reason);
        }
    }

    // ---- packets that have to wait

    private Backlog backlog() {
        Backlog present = backlog;
        if (present == null) {
            present = new Backlog(this, scope);
            backlog = present;
        }
        return present;
    }

    @Override
    public void onPartial(int arrivedBytes, int frameBytes) {
        if (backlog != null || frameBytes > HalfReceived.SMALL_BYTES) {
            backlog().onPartial(arrivedBytes, frameBytes);
        }
    }

    @Override
    public void onPartialEnded() {
        if (backlog != null) {
            backlog.onPartialEnded();
        }
    }

    @Override
    public LoopTurns turns() {
        return loop.turns();
    }

    @Override
    public void onTurnOver() {
        traffic.turnOver();
        pauseReading(Pause.TURN);
    }

    @Override
    public boolean holds(Runnable goOn) {
        if (!isOpen() || !throttling.isPaused(Pause.CONNECTING)) {
            return false;
        }
        backlog().holdBehindConnect(goOn);
        return true;
    }

    @Override
    public boolean holdsRequest(Runnable goOn) {
        if (!isOpen() || !loop.filterRoom().isFull()) {
            return false;
        }
        pauseReading(Pause.FILTER_ROOM);
        loop.filterRoom().await(() -> {
            resumeReading(Pause.FILTER_ROOM);
            goOn.run();
        });
        return true;
    }

    @Override
    public boolean isHeldBack() {
        return throttling.isPaused(Pause.HELD_BACK);
    }

    @Override
    public boolean isInDoubt() {
        return isOpen() && loop.isInDoubt();
    }

    @Override
    public void onHeldBack(Runnable goOn) {
        Backlog present = backlog();
        present.holdBack(goOn);
        if (!throttling.isPaused(Pause.HELD_BACK)) {
            loop.onNextSweep(present::goOn); // in doubt: asks again then
        }
    }

    @Override
    public void onCaughtUp() {
        resumeReading(Pause.TURN);
    }

    @Override
    public void onDropped(long bytes) {
        traffic.bytesIgnored(bytes);
        if (isOpen()) {
            closeReason = "connection lost, and " + bytes + " bytes read from it were dropped";
        }
    }

    @Override
    public void stores(int bytes) {
        if (Math.abs(bytes) > HalfReceived.LARGE_BYTES) {
            scope.halfReceived().stores(bytes);
        }
    }

    @Override
    public @Nullable ClientInfo client() {
        return handler == null ? null : handler.client();
    }

    // ---- writing

    @Override
    public boolean send(Packet packet) {
        return !isOpen() || out.send(packet);
    }

    @Override
    public boolean send(SharedPublish publish, Qos qos, boolean retain, int packetId) {
        return !isOpen() || out.send(publish, qos, retain, packetId);
    }

    @Override
    public boolean isWritable() {
        return !throttling.holdsOut() && channel.isWritable();
    }

    @Override
    public boolean isOverBandwidth() {
        return throttling.isOutPaused();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (!channel.isWritable()) {
            lookSoon(); // the handler measures how long
        } else if (throttling.isPaused(Pause.UNREAD_ANSWERS)) {
            resumeReading(Pause.UNREAD_ANSWERS);
        }
        notifyWritable();
    }

    @Override
    public void notifyWritable() {
        if (isOpen() && isWritable() && handler != null) {
            try {
                handler.onWritable();
            } catch (RuntimeException | Error e) { // outermost frame
                fail(e);
            }
        }
    }

    // ---- time

    @Override
    public void tickIndex(int index) {
        tickIndex = index;
    }

    /**
     * A time-out has begun, or something to watch: a value that {@link #nextLook} reads has changed to an earlier tick.
     */
    @Override
    public void lookSoon() {
        if (tickIndex >= 0) {
            loop.lookSoon(tickIndex);
        }
    }

    @Override
    public void needTicks() {
        lookSoon();
    }

    @Override
    public int onTick(int tick) {
        boolean isHandlerWatching = false;
        try {
            isHandlerWatching = look(tick);
        } catch (RuntimeException | Error e) { // outermost frame: an error ends this connection, not the sweep
            fail(e);
        }
        boolean isWatching = isHandlerWatching || throttling.isWatched() || backlog != null && backlog.hasHalf();
        return isWatching ? tick + 1 : nextLook();
    }

    /** The tick at which this state's time-out can have passed, if nothing more is read. */
    private int nextLook() {
        return switch (state) {
            case OPENING -> timeouts.nextWhileOpening(limits().connectTimeout());
            case ACCEPTED -> timeouts.nextWhileAccepted();
            case CLOSING -> timeouts.nextWhileClosing();
            case CLOSED -> Integer.MAX_VALUE;
        };
    }

    /**
     * Checks the time-outs.
     *
     * @return whether the handler wants the next tick
     */
    private boolean look(int tick) {
        int quietTicks = timeouts.quietTicks(tick);
        if (throttling.isPaused(Pause.MEMORY) && !loop.isMemoryShort()) {
            resumeReading(Pause.MEMORY);
        }
        throttling.onTick();
        if (backlog != null && isOpen()) {
            backlog.onTick(throttling.isReading());
        }
        switch (state) {
            case OPENING -> {
                // by its age, not its silence: trickling bytes are no CONNECT. While the CONNECT is being served, the
                // broker takes the time.
                if (timeouts.ticksSinceOpened(tick) > limits().connectTimeout().toSeconds()
                        && !throttling.isPaused(Pause.CONNECTING)) {
                    scope.reports().connectTimedOut(this);
                    close("no CONNECT in time");
                }
            }
            case ACCEPTED -> {
                if (timeouts.isOver(tick)) {
                    disconnect(
                            ReasonCode.MAXIMUM_CONNECT_TIME,
                            DisconnectCause.LOGIN_EXPIRED,
                            "the login is not valid any longer");
                    return false;
                }
                if (throttling.isHeldByUs()) {
                    timeouts.read(tick);
                } else if (timeouts.isTooQuiet(quietTicks)) {
                    // [MQTT5-3.1.2-22], [MQTT311-3.1.2-24]
                    disconnect(ReasonCode.KEEP_ALIVE_TIMEOUT, DisconnectCause.KEEP_ALIVE, null);
                    return false;
                }
                return handler != null && handler.onTick();
            }
            case CLOSING -> {
                if (Timeouts.isGone(timeouts.quietTicks(tick))) { // it may have begun above
                    channel.close(); // the peer neither closes nor, perhaps, reads its last packet
                }
            }
            case CLOSED -> {}
        }
        return false;
    }

    // ---- the end

    @Override
    public boolean isOpen() {
        return state == State.OPENING || state == State.ACCEPTED;
    }

    @Override
    public boolean isAccepted() {
        return state == State.ACCEPTED;
    }

    @Override
    public boolean isOpening() {
        return state == State.OPENING;
    }

    @Override
    void prepareRefusal() {
        if (!out.hasEncoder() && decoder.protocolLevel() != 0) {
            out.encodeBy(new PacketEncoder(decoder.protocolLevel(), -1, true));
        }
    }

    @Override
    public void close(String reason) {
        close(DisconnectCause.CONNECTION_LOST, reason, false); // no client, so nobody hears the cause
    }

    @Override
    public void close(DisconnectCause cause, String reason) {
        close(cause, reason, false);
    }

    @Override
    public void closeAsAgreed(String reason) {
        close(DisconnectCause.CLIENT, reason, true);
    }

    @Override
    public void closedByPeer(String reason) {
        reportIfAbandoned();
        close(DisconnectCause.CONNECTION_LOST, reason);
    }

    /** The peer ends the connection: that is an outcome of its own if it did not wait for a CONNACK. */
    private void reportIfAbandoned() {
        if (state == State.OPENING) {
            ConnectProgress unread = hasRead ? ConnectProgress.NO_CONNECT : ConnectProgress.NOTHING_SENT;
            scope.reports().connectAbandoned(this, out.hasEncoder() ? ConnectProgress.NOT_ANSWERED : unread);
        }
    }

    private void close(DisconnectCause cause, String reason, boolean isAgreed) {
        if (!isOpen()) {
            return;
        }
        state = State.CLOSING;
        closeCause = cause;
        closeReason = reason;
        timeouts.read(loop.tick());
        lookSoon();
        loop.execute(this::tellHandler);
        out.write();
        if (isAgreed) {
            Farewell.sayAgreed(channel);
        } else {
            Farewell.say(channel);
        }
        // further input is read and discarded: closing with unread input resets the connection, and the peer may then
        // never see the last packet
        throttling.resumeReading();
        goOnWithHeldBack();
    }

    private void goOnWithHeldBack() {
        if (backlog != null) {
            backlog.goOn();
        }
    }

    private void tellHandler() {
        throttling.end();
        countFlap(client(), timeouts.ticksSinceOpened(loop.tick()));
        PacketHandler last = handler;
        handler = null;
        if (isTold) {
            return;
        }
        isTold = true;
        try {
            if (last != null) {
                last.onClosed(closeCause, closeReason);
            }
        } catch (RuntimeException | Error e) { // outermost frame
            LOG.error("close failed remote={}", remoteAddress(), e);
        }
        onGone.run();
    }

    @Override
    public void shutDown() {
        if (state == State.ACCEPTED && handler != null) {
            handler.onShutdown();
        } else {
            close("server shutting down");
        }
    }

    @Override
    public void cut() {
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.CLOSED) {
            return;
        }
        reportIfAbandoned();
        state = State.CLOSED;
        out.release();
        if (tickIndex >= 0) {
            loop.removeTicking(tickIndex);
            tickIndex = -1; // the index now belongs to another connection: pending calls must not use it
            scope.reports().metrics().connects().socketClosed();
        }
        goOnWithHeldBack();
        tellHandler();
    }

    /** A client that ends TLS has ended the connection, whether or not it closes its socket (RFC 8446, 6.1). */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == SslCloseCompletionEvent.SUCCESS) {
            closedByPeer("connection lost");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(cause);
    }

    private enum State {
        /** CONNACK not yet sent. */
        OPENING,
        ACCEPTED,
        /** The last output is being written. */
        CLOSING,
        CLOSED
    }
}
