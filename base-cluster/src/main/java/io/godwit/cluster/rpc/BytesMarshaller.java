package io.godwit.cluster.rpc;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells gRPC the length, so that it need not read the stream to find it. */
    private static final class SizedStream extends ByteArrayInputStream implements KnownLength {
        SizedStream(byte[] bytes) {
            super(bytes);
        }
    }
}
