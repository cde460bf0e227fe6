package io.godwit.mqtt.session;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection that records sent packets; its loop is the test's thread. */
public final class RecordingConnection implements Connection {
    public final List<Packet> sent = new ArrayList<>();
    public final Set<Pause> pauses = EnumSet.noneOf(Pause.class);
    /** Also those that are over. */
    final List<Pause> allPauses = new ArrayList<>();

    private final LoopContext loop;
    public boolean isWritable = true;
    public boolean isOverBandwidth;
    private boolean isTicking;
    /** Bytes of its publishes that are being stored. */
    public long storing;

    /** The last that was set. */
    @Nullable
    PacketHandler handler;

    public @Nullable String closeReason;

    /** Of the first end, if {@link #closeReason} is of one with a cause. */
    public DisconnectCause closeCause = DisconnectCause.CONNECTION_LOST;

    @Nullable
    Throwable failure;

    public RecordingConnection(LoopContext loop) {
        this.loop = loop;
    }

    @Override
    public LoopContext loop() {
        return loop;
    }

    @Override
    public String remoteAddress() {
        return "test:1";
    }

    @Override
    public @Nullable String certificateUserName() {
        return null;
    }

    @Override
    public int maxPacketBytes() {
        return 1024;
    }

    @Override
    public void setHandler(PacketHandler next) {
        handler = next;
    }

    @Override
    public void sendAway() {
        disconnect(ReasonCode.SERVER_SHUTTING_DOWN, DisconnectCause.SHUTDOWN, null);
    }

    @Override
    public void setUp(Connect connect, int keepAliveSeconds) {}

    @Override
    public void accepted() {}

    @Override
    public boolean send(Packet packet) {
        sent.add(packet);
        return true;
    }

    @Override
    public boolean send(SharedPublish publish, Qos qos, boolean retain, int packetId) {
        Message m = publish.message();
        return send(new Publish(packetId, false, qos, retain, m.topic(), m.payload(), m.properties()));
    }

    @Override
    public boolean isWritable() {
        return isWritable;
    }

    @Override
    public boolean isOverBandwidth() {
        return isOverBandwidth;
    }

    @Override
    public void stores(int bytes) {
        storing += bytes;
    }

    @Override
    public void pauseReading(Pause reason) {
        pauses.add(reason);
        allPauses.add(reason);
    }

    @Override
    public void resumeReading(Pause reason) {
        pauses.remove(reason);
    }

    @Override
    public void needTicks() {
        isTicking = true;
    }

    /** A second passes: calls its handler if it wants ticks. */
    public void tick(PacketHandler handler) {
        if (isTicking || !isWritable) {
            isTicking = handler.onTick();
        }
    }

    @Override
    public boolean isOpen() {
        return closeReason == null;
    }

    @Override
    public void close(String reason) {
        closeReason = reason;
    }

    @Override
    public void close(DisconnectCause cause, String reason) {
        closeCause = cause;
        closeReason = reason;
    }

    @Override
    public void closedByPeer(String reason) {
        close(DisconnectCause.CONNECTION_LOST, reason);
    }

    @Override
    public void closeAsAgreed(String reason) {
        close(DisconnectCause.CLIENT, reason);
    }

    @Override
    public void disconnect(ReasonCode code, DisconnectCause cause, @Nullable String detail) {
        if (closeReason == null) {
            close(cause, code.name());
        }
    }

    @Override
    public void refuse(ReasonCode code, @Nullable String told, @Nullable String detail) {
        closeReason = code.name();
    }

    @Override
    public void redirect(ReasonCode code, String serverReference) {
        closeReason = code.name() + " " + serverReference;
    }

    @Override
    public void fail(Throwable cause) {
        failure = cause;
    }

    /** Packet ids of the PUBLISHes sent. */
    public List<Integer> publishIds() {
        return sent.stream()
                .filter(Publish.class::isInstance)
                .map(packet -> ((Publish) packet).packetId())
                .toList();
    }
}
