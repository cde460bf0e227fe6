package io.godwit.broker.watch.question;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.watch.wire.Detail;
import io.godwit.broker.watch.wire.Entry;
import io.godwit.broker.watch.wire.EventCriteria;
import io.godwit.broker.watch.wire.TraceCriteria;
import io.godwit.broker.watch.wire.WatchBatch;
import io.godwit.broker.watch.wire.WatchRequest;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Encodes the messages between nodes about watches; {@code watch_protocol.proto} defines them. */
public final class WatchWire {
    public static final String SERVICE = "godwit.Watch";
    public static final int VERSION = 1;
    /** Its texts come from an operator. */
    public static final int MAX_REQUEST_BYTES = 1 << 19;
    /** The size at which a batch is sent. */
    public static final int BATCH_BYTES = 1 << 15;
    /** A batch of {@link #BATCH_BYTES} and the largest entry. */
    public static final int MAX_BATCH_BYTES = 1 << 19;

    public static final MethodDescriptor<byte[], byte[]> WATCH = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.SERVER_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "watch"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    /** A batch of entries from another node. */
    public record Batch(List<WatchEntry> entries, long lost) {}

    private WatchWire() {}

    public static byte[] request(WatchQuestion question) {
        WatchRequest.Builder request = WatchRequest.newBuilder().setVersion(VERSION);
        if (question instanceof EventQuestion events) {
            EventCriteria.Builder criteria = EventCriteria.newBuilder().addAllTypes(events.types());
            events.clientId().ifPresent(criteria::setClientId);
            events.tenant().ifPresent(criteria::setTenant);
            request.setEvents(criteria);
        } else if (question instanceof TraceQuestion trace) {
            TraceCriteria.Builder criteria = TraceCriteria.newBuilder();
            trace.clientId().ifPresent(criteria::setClientId);
            trace.filter().ifPresent(filter -> criteria.setTopicFilter(filter.text()));
            trace.address().ifPresent(criteria::setAddress);
            trace.tenant().ifPresent(criteria::setTenant);
            request.setTrace(criteria);
        }
        return request.build().toByteArray();
    }

    /** @throws io.grpc.StatusRuntimeException if this node does not understand the request */
    public static WatchQuestion question(byte[] bytes) {
        if (bytes.length > MAX_REQUEST_BYTES) {
            throw refusal("a question of " + bytes.length + " bytes");
        }
        WatchRequest request;
        try {
            request = WatchRequest.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
        check(request.getVersion());
        try {
            return switch (request.getWhatCase()) {
                case EVENTS -> events(request.getEvents());
                case TRACE -> trace(request.getTrace());
                case WHAT_NOT_SET -> throw refusal("watch what?");
            };
        } catch (IllegalArgumentException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
    }

    public static void check(int version) {
        if (version != VERSION) {
            throw Status.FAILED_PRECONDITION
                    .withDescription("the node answers version " + VERSION + " of questions about what happens, not "
                            + Integer.toUnsignedString(version))
                    .asRuntimeException();
        }
    }

    private static EventQuestion events(EventCriteria criteria) {
        return new EventQuestion(
                Set.copyOf(criteria.getTypesList()),
                criteria.hasClientId() ? Optional.of(criteria.getClientId()) : Optional.empty(),
                criteria.hasTenant() ? Optional.of(criteria.getTenant()) : Optional.empty());
    }

    private static TraceQuestion trace(TraceCriteria criteria) {
        return new TraceQuestion(
                criteria.hasClientId() ? Optional.of(criteria.getClientId()) : Optional.empty(),
                criteria.hasTopicFilter()
                        ? Optional.of(TraceQuestion.parsed(criteria.getTopicFilter()))
                        : Optional.empty(),
                criteria.hasAddress() ? Optional.of(criteria.getAddress()) : Optional.empty(),
                criteria.hasTenant() ? Optional.of(criteria.getTenant()) : Optional.empty());
    }

    private static RuntimeException refusal(String why) {
        return Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException();
    }

    public static Entry entry(WatchEntry entry) {
        Entry.Builder wire = Entry.newBuilder().setAtMillis(entry.atMillis()).setType(entry.type());
        entry.details().forEach((name, value) -> {
            Detail.Builder detail = Detail.newBuilder().setName(name);
            if (value instanceof Boolean flag) {
                detail.setFlag(flag);
            } else if (value instanceof Long whole) {
                detail.setWhole(whole);
            } else {
                detail.setText(value.toString());
            }
            wire.addDetails(detail);
        });
        return wire.build();
    }

    public static Batch batch(byte[] bytes) throws InvalidProtocolBufferException {
        WatchBatch batch = WatchBatch.parseFrom(bytes);
        List<WatchEntry> entries = new ArrayList<>();
        for (Entry entry : batch.getEntriesList()) {
            Map<String, Object> details = new LinkedHashMap<>();
            for (Detail detail : entry.getDetailsList()) {
                switch (detail.getValueCase()) {
                    case TEXT -> details.put(detail.getName(), detail.getText());
                    case WHOLE -> details.put(detail.getName(), detail.getWhole());
                    case FLAG -> details.put(detail.getName(), detail.getFlag());
                    case VALUE_NOT_SET -> {} // a type of a later version
                }
            }
            entries.add(new WatchEntry(entry.getAtMillis(), entry.getType(), details));
        }
        return new Batch(entries, batch.getLost());
    }
}
