package io.godwit.cluster;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** For methods whose messages are bytes that their service encodes itself. */
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

    /** Lets gRPC write the length without reading it all first. */
    private static final class SizedStream extends ByteArrayInputStream implements KnownLength {
        SizedStream(byte[] bytes) {
            super(bytes);
        }
    }
}
