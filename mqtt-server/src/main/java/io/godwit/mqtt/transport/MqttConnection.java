package io.godwit.mqtt.transport;

import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.codec.LoopTurns;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.codec.ReadListener;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.transport.tls.PeerName;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's socket: the end of its pipeline. Passes packets to the {@link PacketHandler} and output to the
 * {@link OutBuffer}, checks time-outs in the loop's sweep, and turns every error into an answer and a close.
 * {@link Throttling} pauses it. Confined to the channel's event loop; an idle connection holds no buffer and no timer.
 *
 * <p>{@link #close} ends the connection for its handler at once, so that a session can be taken over from a stuck peer.
 * The socket lingers until the peer has closed its side too, a few seconds at most, unless the peer has sent its
 * DISCONNECT.
 */
final class MqttConnection extends ChannelInboundHandlerAdapter
        implements TickListener, ReadListener, HalfPacket.Owner, Throttling.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);
    private static final int CLOSE_TICKS = 2;

    private final Channel channel;
    private final LoopContext loop;
    private final ListenerScope scope;
    private final MqttMetrics metrics;
    private final PacketDecoder decoder;
    private final Runnable onGone;
    private final Throttling throttling;
    private final OutBuffer out;

    private @Nullable PacketHandler handler;
    private @Nullable PacketEncoder encoder;
    private State state = State.OPENING;
    private String closeReason = "connection lost";

    /** The client's address from a proxy; null without one. */
    private @Nullable InetSocketAddress source;

    /** An incomplete large packet; null when there is none. */
    private @Nullable HalfPacket half;

    private boolean isTold;

    /** Resumes packets read after the CONNECT; null when there are none. */
    private @Nullable Runnable behindConnect;

    /** Resumes packets read while the connection was held back; null when there are none. */
    private @Nullable Runnable heldBack;

    /** Its place in the sweep; -1 when it has none. */
    private int tickIndex = -1;

    private int openedTick;
    private int lastReadTick;
    private int keepAliveSeconds;
    /** The tick at which the connection must end; the largest number for never. */
    private int endTick = Integer.MAX_VALUE;

    /** @param onGone called once when the handler knows that the connection is over */
    MqttConnection(Channel channel, LoopContext loop, ListenerScope scope, PacketDecoder decoder, Runnable onGone) {
        this.channel = channel;
        this.loop = loop;
        this.scope = scope;
        this.metrics = scope.reports().metrics();
        this.decoder = decoder;
        this.onGone = onGone;
        this.throttling = new Throttling(this, channel, scope.config().limits(), scope.reports());
        this.out = new OutBuffer(channel, loop, metrics, throttling);
    }

    private ListenerLimits limits() {
        return scope.config().limits();
    }

    @Override
    public LoopContext loop() {
        return loop;
    }

    @Override
    public String remoteAddress() {
        return MqttReports.text(source == null ? channel.remoteAddress() : source);
    }

    /** Null when the peer was gone before the address was read. */
    private @Nullable InetAddress sourceAddress() {
        if (source != null) {
            return source.getAddress();
        }
        return channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null;
    }

    @Override
    public void loginFailed() {
        InetAddress address = sourceAddress();
        if (address != null) {
            scope.bans().loginFailed(address);
        }
    }

    void setSource(InetSocketAddress client) {
        source = client;
    }

    @Override
    public String listener() {
        return scope.config().name();
    }

    @Override
    public int keepAliveSeconds() {
        return keepAliveSeconds;
    }

    @Override
    public String mountPoint() {
        return scope.config().mountPoint();
    }

    @Override
    public @Nullable SharedPick sharedPick() {
        return scope.config().sharedPick();
    }

    @Override
    public String tenant() {
        return scope.config().tenant();
    }

    @Override
    public @Nullable String serverName() {
        SSLSession session = tlsSession();
        return session == null ? null : PeerName.requestedHost(session);
    }

    @Override
    public @Nullable X509Certificate certificate() {
        SSLSession session = tlsSession();
        return session == null ? null : PeerName.certificateOf(session);
    }

    private @Nullable SSLSession tlsSession() {
        SslHandler ssl =
                scope.config().tls() == null ? null : channel.pipeline().get(SslHandler.class);
        return ssl == null ? null : ssl.engine().getSession();
    }

    @Override
    public @Nullable String certificateUserName() {
        TlsConfig tls = scope.config().tls();
        SSLSession session = tlsSession();
        return tls == null || session == null ? null : PeerName.of(session, tls.userName());
    }

    @Override
    public void endAfter(@Nullable Duration time) {
        int before = endTick;
        endTick = time == null
                ? Integer.MAX_VALUE
                : tickAfter(loop.tick(), Math.min(time.toSeconds(), Integer.MAX_VALUE));
        if (endTick < before) {
            lookSoon();
        }
    }

    @Override
    public int maxPacketBytes() {
        return limits().maxPacketBytes();
    }

    @Override
    public void setHandler(PacketHandler next) {
        handler = next;
    }

    @Override
    public void setUp(Connect connect, int keepAlive) {
        encoder = PacketEncoder.forClient(connect);
        keepAliveSeconds = keepAlive;
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
        metrics.socketOpened();
        openedTick = loop.tick();
        lastReadTick = openedTick;
        loop.addTicking(this);
    }

    /** Bytes on the wire, before they are decrypted or decoded. */
    void onBytesRead(int bytes) {
        metrics.bytesIn(bytes);
        throttling.onBytesRead(bytes);
    }

    /** Bytes on the wire that arrived after the close. */
    void onBytesIgnored(int bytes) {
        metrics.bytesIgnored(bytes);
    }

    /** MQTT bytes have arrived: restarts the keep-alive. */
    void onMqttRead() {
        lastReadTick = loop.tick();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!isOpen() || handler == null) {
            metrics.packetsIgnored(1); // sent before the client knew of the close
            return;
        }
        metrics.packetIn();
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
            lastReadTick = loop.tick();
        }
        Runnable goOn = behindConnect;
        if (reason == Pause.CONNECTING && goOn != null) {
            behindConnect = null;
            loop.execute(goOn);
        } else if (reason == Pause.HELD_BACK) {
            goOn();
        }
    }

    private void goOn() {
        Runnable goOn = heldBack;
        if (goOn != null) {
            heldBack = null;
            loop.execute(goOn);
        }
    }

    // ---- packets that take several reads

    @Override
    public void onPartial(int arrivedBytes, int frameBytes) {
        HalfPacket packet = half;
        if (packet == null) {
            if (frameBytes <= HalfReceived.SMALL_BYTES) {
                return;
            }
            boolean isOpening = state == State.OPENING;
            packet = new HalfPacket(this, frameBytes, isOpening);
            half = packet;
            lookSoon();
            if (!scope.halfReceived().takes(frameBytes, isOpening)) {
                abandon(packet);
            } else if (!scope.halfReceived().enter(packet)) {
                pauseReading(Pause.HALF_RECEIVED);
            }
        }
        packet.arrived(arrivedBytes);
    }

    @Override
    public void onPartialEnded() {
        HalfPacket packet = half;
        if (packet != null) {
            half = null;
            scope.halfReceived().leave(packet);
        }
    }

    @Override
    public LoopTurns turns() {
        return loop.turns();
    }

    @Override
    public void onTurnOver() {
        metrics.turnOver();
        pauseReading(Pause.TURN);
    }

    @Override
    public boolean holds(Runnable goOn) {
        if (!isOpen() || !throttling.isPaused(Pause.CONNECTING)) {
            return false;
        }
        behindConnect = goOn;
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
        heldBack = goOn;
        if (!throttling.isPaused(Pause.HELD_BACK)) {
            loop.onNextSweep(this::goOn); // in doubt: asks again then
        }
    }

    @Override
    public void onCaughtUp() {
        resumeReading(Pause.TURN);
    }

    @Override
    public void onDropped(long bytes) {
        metrics.bytesIgnored(bytes);
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
    @SuppressWarnings("ReferenceEquality") // it may have been given up meanwhile
    public void onRoom(HalfPacket packet) {
        loop.execute(() -> {
            if (half == packet) {
                resumeReading(Pause.HALF_RECEIVED);
            }
        });
    }

    private void watchHalf(HalfPacket packet) {
        if (throttling.isReading()) {
            packet.secondRead();
            if (packet.isTooSlow() && scope.halfReceived().isWanted(packet)) {
                abandon(packet);
            }
        }
    }

    private void abandon(HalfPacket packet) {
        scope.reports().packetAbandoned(this, client(), packet.frameBytes(), packet.arrivedBytes());
        String detail = "a packet of " + packet.frameBytes() + " bytes takes too much room";
        if (state == State.ACCEPTED) {
            disconnect(ReasonCode.QUOTA_EXCEEDED, detail);
        } else {
            close(detail);
        }
    }

    @Override
    public @Nullable ClientInfo client() {
        return handler == null ? null : handler.client();
    }

    // ---- writing

    @Override
    public boolean send(Packet packet) {
        PacketEncoder peer = encoder;
        if (peer == null || !isOpen()) {
            return true;
        }
        ByteBuf buffer = out.open();
        if (!peer.encode(packet, buffer)) {
            return false;
        }
        out.appended(buffer);
        return true;
    }

    @Override
    public boolean send(SharedPublish publish, Qos qos, boolean retain, int packetId) {
        PacketEncoder peer = encoder;
        if (peer == null || !isOpen()) {
            return true;
        }
        ByteBuf buffer = out.open();
        if (!peer.encode(publish.frame(qos, retain, peer.protocolLevel()), packetId, false, buffer)) {
            return false;
        }
        out.appended(buffer);
        return true;
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
        return isHandlerWatching || throttling.isWatched() || half != null ? tick + 1 : nextLook();
    }

    /** The tick at which this state's time-out can have passed, if nothing more is read. */
    private int nextLook() {
        return switch (state) {
            case OPENING -> tickAfter(openedTick, limits().connectTimeout().toSeconds());
            case ACCEPTED ->
                Math.min(
                        endTick,
                        keepAliveSeconds > 0 ? tickAfter(lastReadTick, quietSecondsAllowed()) : Integer.MAX_VALUE);
            case CLOSING -> tickAfter(lastReadTick, CLOSE_TICKS);
            case CLOSED -> Integer.MAX_VALUE;
        };
    }

    /** The first tick at which more than {@code seconds} have passed. */
    private static int tickAfter(int tick, long seconds) {
        return (int) Math.min(Integer.MAX_VALUE, tick + seconds + 1);
    }

    /** One and a half keep-alives. */
    private int quietSecondsAllowed() {
        return (3 * keepAliveSeconds + 1) / 2;
    }

    /**
     * Checks the time-outs.
     *
     * @return whether the handler wants the next tick
     */
    private boolean look(int tick) {
        int quietTicks = tick - lastReadTick;
        if (throttling.isPaused(Pause.MEMORY) && !loop.isMemoryShort()) {
            resumeReading(Pause.MEMORY);
        }
        throttling.onTick();
        if (half != null && isOpen()) {
            watchHalf(half);
        }
        switch (state) {
            case OPENING -> {
                // by its age, not its silence: trickling bytes are no CONNECT. While the CONNECT is being served, the
                // broker takes the time.
                if (tick - openedTick > limits().connectTimeout().toSeconds()
                        && !throttling.isPaused(Pause.CONNECTING)) {
                    metrics.connectTimedOut();
                    close("no CONNECT in time");
                }
            }
            case ACCEPTED -> {
                if (tick >= endTick) {
                    disconnect(ReasonCode.MAXIMUM_CONNECT_TIME, "the login is not valid any longer");
                    return false;
                }
                if (throttling.isHeldByUs()) {
                    lastReadTick = tick;
                } else if (keepAliveSeconds > 0 && quietTicks > quietSecondsAllowed()) {
                    disconnect(ReasonCode.KEEP_ALIVE_TIMEOUT, null); // [MQTT5-3.1.2-22], [MQTT311-3.1.2-24]
                    return false;
                }
                return handler != null && handler.onTick();
            }
            case CLOSING -> {
                if (quietTicks > CLOSE_TICKS) {
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
    public void close(String reason) {
        close(reason, false);
    }

    @Override
    public void closeAsAgreed(String reason) {
        close(reason, true);
    }

    private void close(String reason, boolean isAgreed) {
        if (!isOpen()) {
            return;
        }
        state = State.CLOSING;
        closeReason = reason;
        lastReadTick = loop.tick();
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
        goOn();
    }

    private void tellHandler() {
        throttling.end();
        countFlap();
        PacketHandler last = handler;
        handler = null;
        if (isTold) {
            return;
        }
        isTold = true;
        try {
            if (last != null) {
                last.onClosed(closeReason);
            }
        } catch (RuntimeException | Error e) { // outermost frame
            LOG.error("close failed remote={}", remoteAddress(), e);
        }
        onGone.run();
    }

    private void countFlap() {
        ClientInfo client = client();
        InetAddress address = sourceAddress();
        if (client != null && address != null && scope.bans().isFlap(loop.tick() - openedTick)) {
            scope.bans().flapped(address, client, mountPoint());
        }
    }

    @Override
    public void disconnect(ReasonCode code, @Nullable String detail) {
        if (isOpen()) {
            send(new Disconnect(code, detail));
            close(detail == null ? code.name() : detail);
        }
    }

    /** Refers clients to another server for now, not permanently: this server may come back. */
    @Override
    public void sendAway() {
        String other = loop.otherServer();
        if (other == null) {
            disconnect(ReasonCode.SERVER_SHUTTING_DOWN, null);
        } else if (isOpen()) {
            send(new Disconnect(ReasonCode.USE_ANOTHER_SERVER, -1, null, List.of(), other));
            close(ReasonCode.USE_ANOTHER_SERVER.name());
        }
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
    public void end() {
        if (state == State.ACCEPTED) {
            disconnect(ReasonCode.SERVER_SHUTTING_DOWN, null);
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
        state = State.CLOSED;
        out.release();
        if (tickIndex >= 0) {
            loop.removeTicking(tickIndex);
            tickIndex = -1; // the index now belongs to another connection: pending calls must not use it
            metrics.socketClosed();
        }
        goOn();
        tellHandler();
    }

    /** A client that ends TLS has ended the connection, whether or not it closes its socket (RFC 8446, 6.1). */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == SslCloseCompletionEvent.SUCCESS) {
            close("connection lost");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(cause);
    }

    @Override
    public void fail(Throwable cause) {
        if (!isOpen()) {
            LOG.debug("error on a closed connection remote={}", remoteAddress(), cause);
        } else if (cause instanceof DecoderException) { // thrown by the layers below MQTT: TLS, PROXY header
            violated(String.valueOf(cause.getMessage()));
        } else if (cause instanceof ProtocolException violation) {
            reportViolation(String.valueOf(violation.getMessage()));
            if (state == State.ACCEPTED) {
                disconnect(violation.reasonCode(), violation.getMessage());
            } else {
                refuse(violation.reasonCode(), violation.getMessage());
            }
        } else if (cause instanceof IOException) {
            LOG.debug("connection lost remote={} cause={}", remoteAddress(), cause.toString());
            close("connection lost");
        } else {
            LOG.error("connection failed remote={}", remoteAddress(), cause);
            disconnect(ReasonCode.UNSPECIFIED_ERROR, null);
        }
    }

    /** A protocol below MQTT was violated; its layer has answered if it can. */
    void violated(String detail) {
        reportViolation(detail);
        close(detail);
    }

    private void reportViolation(String detail) {
        scope.reports().protocolViolated(this, detail);
        LOG.debug("protocol violation remote={} detail={}", remoteAddress(), detail);
        InetAddress address = sourceAddress();
        if (address != null) {
            scope.bans().violated(address);
        }
    }

    @Override
    public void refuse(ReasonCode code, @Nullable String detail) {
        refuse(ConnAck.refused(code, detail), detail);
    }

    @Override
    public void redirect(ReasonCode code, String serverReference) {
        refuse(
                ConnAck.builder(false, code).serverReference(serverReference).build(),
                "is told to use " + serverReference);
    }

    private void refuse(ConnAck answer, @Nullable String detail) {
        if (!isOpen()) {
            return;
        }
        ReasonCode code = answer.reasonCode();
        scope.reports().connectRefused(this, code.name(), detail);
        if (encoder == null && decoder.protocolLevel() != 0) {
            encoder = new PacketEncoder(decoder.protocolLevel(), -1, true);
        }
        send(answer);
        close(detail == null ? code.name() : detail);
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
