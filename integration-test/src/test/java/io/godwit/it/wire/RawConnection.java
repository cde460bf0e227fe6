package io.godwit.it.wire;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that sends what the test says, well formed or not, and answers nothing by itself. Reads wait 30 s at
 * most.
 */
public final class RawConnection implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final int version;
    private final DataInputStream in;

    /** @param version 4 or 5, what packets are written and read in */
    public RawConnection(InetSocketAddress address, int version) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()), version);
    }

    /** @param socket connected; closed with this */
    public RawConnection(Socket socket, int version) throws IOException {
        this.socket = socket;
        this.version = version;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    public void send(Packet packet) throws IOException {
        send(PacketWriter.bytes(packet, version));
    }

    /** No more bytes will follow. */
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** The next packet; null when the peer has closed the connection. */
    public @Nullable Packet read() throws IOException {
        try {
            return PacketReader.read(in, version);
        } catch (SocketException e) {
            return null; // reset
        }
    }

    /** All bytes until the peer closes the connection. */
    public byte[] readToEnd() throws IOException {
        try {
            return in.readAllBytes();
        } catch (SocketException e) {
            return new byte[0]; // reset, which takes along what was not read
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
