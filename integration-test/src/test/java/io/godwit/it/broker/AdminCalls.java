package io.godwit.it.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What {@code godwit-admin} asks of a broker of this machine, over a connection that stays: for hundreds of requests,
 * or under load.
 */
public final class AdminCalls implements AutoCloseable {
    private static final int SECONDS = 30;

    private final RpcConnection connection;

    public AdminCalls(BrokerProcess broker) throws IOException {
        connection = RpcConnection.local(LocalAccess.read(broker.data().resolve("godwit.rpc")));
    }

    /** @param start in hexadecimal, as {@code end}, which is null for the last range */
    public record ListedRange(
            long id,
            long epoch,
            String leader,
            List<String> voters,
            String start,
            @Nullable String end) {}

    /** The store id of the broker itself. */
    public String self() {
        return call("nodes", new JsonObject()).get("self").getAsString();
    }

    /** The ranges of a store as the broker tells them, in no order. */
    public JsonArray rangesAsTold(String store) {
        JsonObject request = new JsonObject();
        request.addProperty("store", store);
        return call("ranges", request).getAsJsonArray("ranges");
    }

    public List<ListedRange> ranges(String store) {
        List<ListedRange> ranges = new ArrayList<>();
        for (JsonElement each : rangesAsTold(store)) {
            JsonObject range = each.getAsJsonObject();
            JsonElement end = range.get("end");
            ranges.add(new ListedRange(
                    range.get("id").getAsLong(),
                    range.get("epoch").getAsLong(),
                    range.get("leader").getAsString(),
                    range.getAsJsonArray("voters").asList().stream()
                            .map(JsonElement::getAsString)
                            .sorted()
                            .toList(),
                    range.get("start").getAsString(),
                    end == null || end.isJsonNull() ? null : end.getAsString()));
        }
        return ranges;
    }

    /**
     * Cuts a range before {@code key}, in hexadecimal, or null for wherever that halves it; returns the outcome and its
     * detail.
     */
    public String split(String store, ListedRange range, @Nullable String key) {
        JsonObject request = action(store, "SPLIT", range);
        if (key != null) {
            request.addProperty("key", key);
        }
        return carryOut(request);
    }

    /** Has another voter lead a range; returns the outcome and its detail. */
    public String transfer(String store, ListedRange range, String to) {
        JsonObject request = action(store, "MOVE_LEADER", range);
        request.addProperty("to", to);
        return carryOut(request);
    }

    private static JsonObject action(String store, String kind, ListedRange range) {
        JsonObject request = new JsonObject();
        request.addProperty("store", store);
        request.addProperty("kind", kind);
        request.addProperty("rangeId", range.id());
        request.addProperty("epoch", range.epoch());
        request.addProperty("to", "");
        request.addProperty("timeoutMillis", TimeUnit.SECONDS.toMillis(SECONDS));
        return request;
    }

    private String carryOut(JsonObject request) {
        JsonObject result = call("carryOut", request);
        return result.get("outcome").getAsString() + ' ' + result.get("detail").getAsString();
    }

    private JsonObject call(String name, JsonObject request) {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName("godwit.Admin/" + name)
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(SECONDS + 5, TimeUnit.SECONDS);
        byte[] answer = ClientCalls.blockingUnaryCall(
                connection.channel(), method, options, request.toString().getBytes(UTF_8));
        return JsonParser.parseString(new String(answer, UTF_8)).getAsJsonObject();
    }

    @Override
    public void close() {
        connection.close();
    }
}
