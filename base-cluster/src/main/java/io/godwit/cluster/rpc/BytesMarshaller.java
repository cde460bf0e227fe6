package io.godwit.cluster.rpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** For gRPC methods whose service encodes its messages to bytes itself. */
public final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    public static final BytesMarshaller INSTANCE = new BytesMarshaller();

    private BytesMarshaller() {}

    @Override
    public InputStream stream(byte[] value) {
        return new SizedStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream instanceof KnownLength ? readKnown(stream) : stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a stream that knows how much is left of it, into an array of that size. {@link InputStream#readAllBytes}
     * would read in parts of 8 KiB and copy them together, and would allocate 8 KiB for the smallest message.
     */
    private static byte[] readKnown(InputStream stream) throws IOException {
        byte[] bytes = new byte[stream.available()];
        int length = stream.readNBytes(bytes, 0, bytes.length);
        if (length < bytes.length || stream.read() >= 0) {
            throw new IOException("a message of " + bytes.length + " bytes has another length");
        }
        return bytes;
    }

    /**
     * Tells gRPC the length, so that it need not read the stream to find it, and writes all bytes at once, which gRPC
     * would otherwise copy through a new buffer of 8 KiB for each message.
     */
    private static final class SizedStream extends ByteArrayInputStream implements KnownLength, Drainable {
        SizedStream(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = count - pos;
            target.write(buf, pos, length);
            pos = count;
            return length;
        }
    }
}
