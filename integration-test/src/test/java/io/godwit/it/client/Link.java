package io.godwit.it.client;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketReader;
import io.godwit.it.wire.PacketWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * One network connection: frames out, and a thread of its own that hands in what arrives. Writes are buffered until
 * {@link #flush}; those made by the reading thread are flushed when it has nothing more to read. Thread-safe.
 */
final class Link {
    /** Told by the reading thread. */
    interface Handler {
        void received(Link link, Packet packet) throws IOException;

        /** The last call: the stream has ended, failed, or been closed from here. */
        void ended(Link link);
    }

    private final Socket socket = new Socket();
    private final int version;
    private final int number;
    private final Handler handler;
    private final DataInputStream in;
    private final OutputStream out;

    /** @param number of this connection among those of its client, from 1 */
    Link(InetSocketAddress address, int version, int number, Handler handler) throws IOException {
        this.version = version;
        this.number = number;
        this.handler = handler;
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, 5_000);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 16 * 1024));
            out = new BufferedOutputStream(socket.getOutputStream(), 16 * 1024);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    int number() {
        return number;
    }

    void start(String name) {
        Thread reader = new Thread(this::read, name);
        reader.setDaemon(true);
        reader.start();
    }

    void write(Packet packet) throws IOException {
        byte[] bytes = PacketWriter.bytes(packet, version);
        synchronized (out) {
            out.write(bytes);
        }
    }

    void flush() throws IOException {
        synchronized (out) {
            out.flush();
        }
    }

    /** Ends the connection with a reset: what is under way in either direction is lost. */
    void abort() {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // closed already
        }
        close();
    }

    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is left to be closed
        }
    }

    private void read() {
        try {
            Packet packet;
            while ((packet = PacketReader.read(in, version)) != null) {
                handler.received(this, packet);
                if (in.available() == 0) {
                    flush();
                }
            }
        } catch (IOException e) {
            // the connection is gone, which is all that ended() says
        } finally {
            close();
            handler.ended(this);
        }
    }
}
