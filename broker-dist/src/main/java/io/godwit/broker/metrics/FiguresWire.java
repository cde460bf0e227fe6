package io.godwit.broker.metrics;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.broker.metrics.wire.Figure;
import io.godwit.broker.metrics.wire.FiguresAnswer;
import io.godwit.broker.metrics.wire.FiguresRequest;
import io.godwit.broker.metrics.wire.Kind;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.Map;
import java.util.TreeMap;

/** Encodes the figures of nodes; {@code figures_protocol.proto} defines the messages. */
final class FiguresWire {
    static final int VERSION = 1;
    static final String SERVICE = "godwit.Figures";
    static final String RUNNING = "Running";
    /** Bound of an answer. A node sends a tenth of this. */
    static final int MAX_FIGURES = 1_000;

    static final int MAX_NAME = 200;
    /** Bound of a request, which has two numbers, with space for fields of later versions. */
    static final int MAX_QUESTION_BYTES = 1_024;
    /** Bound of an answer. */
    static final int MAX_BYTES = MAX_FIGURES * (MAX_NAME + 16);

    static final MethodDescriptor<byte[], byte[]> READ = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "read"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private FiguresWire() {}

    static byte[] request(Kind kind) {
        return FiguresRequest.newBuilder()
                .setVersion(VERSION)
                .setKind(kind)
                .build()
                .toByteArray();
    }

    static byte[] answer(String name, Map<String, Number> figures) {
        FiguresAnswer.Builder answer = FiguresAnswer.newBuilder().setName(name);
        figures.forEach((figure, value) -> {
            Figure.Builder each = Figure.newBuilder().setName(figure);
            answer.addFigures(
                    value instanceof Long whole ? each.setWhole(whole) : each.setFraction(value.doubleValue()));
        });
        return answer.build().toByteArray();
    }

    /**
     * Decodes the answer of the node {@code id}.
     *
     * @throws InvalidProtocolBufferException if it is no such message
     * @throws IllegalArgumentException if it has more than a node sends
     */
    static NodeFigures figures(String id, byte[] answer) throws InvalidProtocolBufferException {
        FiguresAnswer read = FiguresAnswer.parseFrom(answer);
        if (read.getFiguresCount() > MAX_FIGURES || read.getName().length() > MAX_NAME) {
            throw new IllegalArgumentException(read.getFiguresCount() + " figures of a node");
        }
        Map<String, Number> figures = new TreeMap<>();
        for (Figure figure : read.getFiguresList()) {
            if (figure.getName().isEmpty() || figure.getName().length() > MAX_NAME) {
                throw new IllegalArgumentException(
                        "a figure with a name of " + figure.getName().length() + " characters");
            }
            switch (figure.getValueCase()) {
                case WHOLE -> figures.put(figure.getName(), figure.getWhole());
                case FRACTION -> figures.put(figure.getName(), figure.getFraction());
                case VALUE_NOT_SET -> throw new IllegalArgumentException("a figure without a value");
            }
        }
        return new NodeFigures(id, read.getName(), RUNNING, figures);
    }
}
