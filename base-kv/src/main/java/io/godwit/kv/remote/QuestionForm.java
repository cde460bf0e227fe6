package io.godwit.kv.remote;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.protocol.ProtobufCodec;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.protocol.legacy.LegacyQuestions;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.function.Function;

/**
 * How a question and its answer look in a version of the protocol between nodes.
 *
 * @param answers the form of the answers to a kind of question
 */
record QuestionForm(
        MethodDescriptor<byte[], byte[]> method,
        WireCodec<NodeQuestion> questions,
        Function<QuestionCase, WireCodec<NodeAnswer>> answers) {
    static final String SERVICE = "godwit.Node";

    private static final WireCodec<NodeAnswer> ANSWERS = new ProtobufCodec<>(NodeAnswer.parser());
    private static final QuestionForm PROTOBUF =
            new QuestionForm(method("question"), new ProtobufCodec<>(NodeQuestion.parser()), question -> ANSWERS);
    private static final QuestionForm LEGACY =
            new QuestionForm(method("ask"), LegacyQuestions.QUESTIONS, LegacyQuestions::answersTo);

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }

    /** The form for questions of the agreed version. */
    static QuestionForm of(int version) {
        return version < NodeProtocol.PROTOBUF ? LEGACY : PROTOBUF;
    }

    /** The forms that a process with these versions serves. */
    static List<QuestionForm> servedBy(NodeProtocol own) {
        return own.served(LEGACY, PROTOBUF);
    }
}
