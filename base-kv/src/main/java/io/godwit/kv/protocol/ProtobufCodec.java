package io.godwit.kv.protocol;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;

/** Messages as protobuf. Copies no byte field when it decodes. */
public record ProtobufCodec<M extends MessageLite>(Parser<M> parser) implements WireCodec<M> {
    @Override
    public byte[] encode(M message) {
        return message.toByteArray();
    }

    @Override
    public M decode(byte[] encoded) throws IOException {
        CodedInputStream in = UnsafeByteOperations.unsafeWrap(encoded).newCodedInput();
        in.enableAliasing(true); // the message owns the bytes
        M message = parser.parseFrom(in);
        in.checkLastTagWas(0); // fails if bytes follow the message
        return message;
    }
}
