package io.godwit.it.wire;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A stream of bytes in both directions, in the binary frames of a WebSocket (RFC 6455). What is written goes out in
 * masked frames of at most {@value #LARGEST_FRAME} bytes, so that a longer packet is spread over several. The server's
 * Close frame is the end of what is read.
 */
public final class WebSocketStream {
    private static final int LARGEST_FRAME = 1000;
    private static final int FINAL = 0x80;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int MASKED = 0x80;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;
    private static final byte[] MASK = {0x37, (byte) 0xFA, 0x21, 0x3D};

    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    /** What RFC 6455, 1.3, has for this key. */
    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private final DataInputStream in;
    private final OutputStream out;

    private long leftInFrame;
    private boolean isClosed;

    /**
     * Opens a WebSocket of the subprotocol {@code mqtt}.
     *
     * @param socket connected; not closed with this
     */
    public WebSocketStream(Socket socket, String path) throws IOException {
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = socket.getOutputStream();
        out.write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY
                        + "\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            answer.append((char) in.readUnsignedByte());
        }
        String head = answer.toString();
        if (!head.startsWith("HTTP/1.1 101 ")
                || !head.contains(ACCEPT)
                || !head.toLowerCase(Locale.ROOT).contains("sec-websocket-protocol: mqtt\r\n")) {
            throw new IOException("no WebSocket: " + head);
        }
    }

    public InputStream input() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (!awaitData()) {
                    return -1;
                }
                int read = in.read(bytes, offset, (int) Math.min(length, leftInFrame));
                leftInFrame -= Math.max(0, read);
                return read;
            }
        };
    }

    /** Returns whether there is data; false at the end. */
    private boolean awaitData() throws IOException {
        while (leftInFrame == 0 && !isClosed) {
            int first = in.read();
            if (first < 0) {
                throw new IOException("the connection ends without a Close frame");
            }
            leftInFrame = frameLength();
            int opcode = first & 0x0F;
            if (opcode == CLOSE) {
                isClosed = true;
            } else if (opcode != BINARY && opcode != 0) {
                throw new IOException("a frame of type " + opcode);
            }
        }
        return !isClosed;
    }

    private long frameLength() throws IOException {
        int length = in.readUnsignedByte();
        if ((length & MASKED) != 0) {
            throw new IOException("a server does not mask");
        }
        return length == TWO_BYTES ? in.readUnsignedShort() : length == EIGHT_BYTES ? in.readLong() : length;
    }

    public OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                int frames = Math.max(1, (length + LARGEST_FRAME - 1) / LARGEST_FRAME);
                ByteBuffer all = ByteBuffer.allocate(length + frames * 8);
                for (int from = 0; from < length; from += LARGEST_FRAME) {
                    frame(all, bytes, offset + from, Math.min(LARGEST_FRAME, length - from));
                }
                out.write(all.array(), 0, all.position());
            }
        };
    }

    private static void frame(ByteBuffer to, byte[] bytes, int offset, int length) {
        to.put((byte) (FINAL | BINARY));
        if (length < TWO_BYTES) {
            to.put((byte) (MASKED | length));
        } else {
            to.put((byte) (MASKED | TWO_BYTES)).putShort((short) length);
        }
        to.put(MASK);
        for (int i = 0; i < length; i++) {
            to.put((byte) (bytes[offset + i] ^ MASK[i % MASK.length]));
        }
    }
}
