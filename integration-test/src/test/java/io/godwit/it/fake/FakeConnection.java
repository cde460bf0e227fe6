package io.godwit.it.fake;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketReader;
import io.godwit.it.wire.PacketWriter;
import io.godwit.testing.Pace;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a fake broker: a thread that reads, and one that writes what is queued, so that nobody waits for a
 * client.
 */
final class FakeConnection {
    private static final Packet END = new Packet.PingRequest();

    /** The node that it leads to, from 0. */
    final int node;

    private final FakeServer server;
    private final Socket socket;
    private final long latencyNanos;
    private final BlockingQueue<Packet> outgoing = new LinkedBlockingQueue<>();
    private volatile int version = 4;

    // guarded by the server's lock
    @Nullable
    FakeSession session;

    Packet.@Nullable Will will;

    /** @param latencyNanos what a commit takes: without it nothing would be in flight at a kill */
    FakeConnection(FakeServer server, int node, Socket socket, long latencyNanos) {
        this.latencyNanos = latencyNanos;
        this.server = server;
        this.node = node;
        this.socket = socket;
    }

    void start() {
        start(this::read, "fake-read");
        start(this::write, "fake-write");
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    void write(Packet packet) {
        outgoing.add(packet);
    }

    /** Ends it once everything that is queued has been written. */
    void finish() {
        outgoing.add(END);
    }

    void close() {
        outgoing.add(END);
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is left to be closed
        }
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            Packet packet;
            while ((packet = PacketReader.read(in, version)) != null) {
                if (packet instanceof Packet.Connect connect) {
                    version = connect.version();
                }
                server.received(this, packet);
            }
        } catch (IOException e) {
            // the connection is gone
        } finally {
            close();
            server.ended(this);
        }
    }

    private void write() {
        try {
            OutputStream out = new BufferedOutputStream(socket.getOutputStream());
            while (true) {
                Packet packet = outgoing.poll();
                if (packet == null) {
                    out.flush();
                    packet = outgoing.take();
                    Pace.passNanos(latencyNanos);
                }
                if (END.equals(packet)) {
                    out.flush();
                    close();
                    return;
                }
                out.write(PacketWriter.bytes(packet, version));
            }
        } catch (IOException e) {
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
