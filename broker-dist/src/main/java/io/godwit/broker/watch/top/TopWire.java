package io.godwit.broker.watch.top;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.watch.question.WatchWire;
import io.godwit.broker.watch.wire.TopAnswer;
import io.godwit.broker.watch.wire.TopRequest;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Encodes the messages between nodes about lists; {@code watch_protocol.proto} defines them. */
final class TopWire {
    /** Enough for 400 items with a tenant and a name of 1,024 characters each. */
    static final int MAX_ANSWER_BYTES = 4 << 20;

    static final MethodDescriptor<byte[], byte[]> TOP = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(WatchWire.SERVICE, "top"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private TopWire() {}

    static byte[] request(TopKind.Question question) {
        TopRequest.Builder request = TopRequest.newBuilder()
                .setVersion(WatchWire.VERSION)
                .setKind(question.kind().wire())
                .setLimit(question.limit());
        question.tenant().ifPresent(request::setTenant);
        return request.build().toByteArray();
    }

    /** @throws io.grpc.StatusRuntimeException if this node does not understand the request */
    static TopKind.Question question(byte[] bytes) {
        if (bytes.length > WatchWire.MAX_REQUEST_BYTES) {
            throw refusal("a question of " + bytes.length + " bytes");
        }
        try {
            TopRequest request = TopRequest.parseFrom(bytes);
            WatchWire.check(request.getVersion());
            TopKind kind = TopKind.of(request.getKind());
            if (kind == null) {
                throw refusal("the kind of list is not known");
            }
            return new TopKind.Question(
                    kind,
                    request.hasTenant() ? Optional.of(request.getTenant()) : Optional.empty(),
                    request.getLimit());
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
    }

    private static RuntimeException refusal(String why) {
        return Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException();
    }

    static byte[] answer(List<TopItem> items) {
        TopAnswer.Builder answer = TopAnswer.newBuilder();
        for (TopItem item : items) {
            answer.addItems(io.godwit.broker.watch.wire.TopItem.newBuilder()
                    .setTenant(item.tenant())
                    .setName(item.name())
                    .addAllNumbers(item.numbers()));
        }
        return answer.build().toByteArray();
    }

    /** @throws IllegalArgumentException for an impossible item */
    static List<TopItem> items(byte[] bytes, TopKind.Question question) throws InvalidProtocolBufferException {
        List<TopItem> items = new ArrayList<>();
        for (io.godwit.broker.watch.wire.TopItem item :
                TopAnswer.parseFrom(bytes).getItemsList()) {
            if (item.getNumbersCount() < question.kind().numbers()) {
                throw new IllegalArgumentException(item.getNumbersCount() + " numbers of " + question.kind());
            }
            items.add(new TopItem(
                    item.getTenant(),
                    item.getName(),
                    item.getNumbersList().subList(0, question.kind().numbers())));
        }
        return items;
    }
}
