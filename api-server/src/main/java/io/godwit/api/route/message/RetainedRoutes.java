package io.godwit.api.route.message;

import io.godwit.api.http.AnswerRoom;
import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.port.Page;
import io.godwit.api.port.message.RetainedAdmin;
import io.godwit.api.port.message.RetainedAdmin.Cleared;
import io.godwit.api.port.message.RetainedAdmin.RetainedView;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Retained messages of all nodes. */
public final class RetainedRoutes {
    /** Of a larger payload only the size is shown. */
    private static final int MAX_PAYLOAD_BYTES = 1 << 20;
    /** Above this size the properties are left out too. */
    private static final int MAX_MESSAGE_BYTES = 8 << 20;

    private final RetainedAdmin retained;
    private final Workers encoders;

    private RetainedRoutes(RetainedAdmin retained, Workers encoders) {
        this.retained = retained;
        this.encoders = encoders;
    }

    /** @param encoders encode large messages */
    public static void add(Routes routes, RetainedAdmin retained, Workers encoders) {
        RetainedRoutes here = new RetainedRoutes(retained, encoders);
        routes.add("listRetained", here::list);
        routes.add("getRetained", here::one);
        routes.add("deleteRetained", here::delete);
        routes.add("deleteRetainedMatching", here::deleteMatching);
    }

    private static String filter(Call call) {
        return MqttText.string("filter", call.parameters().getString("filter"));
    }

    private static String topic(Call call) {
        return MqttText.topic("topic", call.parameters().getString("topic"));
    }

    private static @Nullable String cursor(Call call) {
        return call.text("cursor").orElse(null);
    }

    private static <T> CompletableFuture<T> checked(CompletableFuture<T> asked, String field) {
        return Refused.as(
                Refused.as(asked, wrong -> MqttText.wrong(field, String.valueOf(wrong.getMessage()))),
                RetainedAdmin.WrongCursorException.class,
                wrong -> Cursors.wrong());
    }

    private CompletableFuture<Reply> list(Call call) {
        CompletableFuture<Page<RetainedView, String>> page =
                retained.retained(call.tenant(), filter(call), cursor(call), call.number("limit"), call.within());
        return checked(page, "filter").thenApply(found -> {
            JsonObject json = new JsonObject().put("items", Json.array(found.items()));
            String next = found.next();
            return Reply.json(next == null ? json : json.put("next", next));
        });
    }

    private CompletableFuture<Reply> one(Call call) {
        return checked(retained.message(call.tenant(), topic(call), call.within()), "topic")
                .thenCompose(found -> {
                    Message message = found.orElseThrow(RetainedRoutes::absent);
                    return message.heapBytes() <= AnswerRoom.SMALL_BYTES
                            ? CompletableFuture.completedFuture(reply(message))
                            : encoders.supply(() -> reply(message));
                });
    }

    private static Reply reply(Message message) {
        return Reply.json(new JsonObject().put("item", item(message)));
    }

    private CompletableFuture<Reply> delete(Call call) {
        return checked(retained.clear(call.tenant(), topic(call), call.within()), "topic")
                .thenApply(existed -> {
                    if (!existed) {
                        throw absent();
                    }
                    return Reply.done();
                });
    }

    private CompletableFuture<Reply> deleteMatching(Call call) {
        CompletableFuture<Cleared> cleared =
                retained.clearMatching(call.tenant(), filter(call), cursor(call), call.number("limit"), call.within());
        return checked(cleared, "filter").thenApply(done -> {
            JsonObject json = new JsonObject().put("messages", done.messages());
            String next = done.next();
            return Reply.json(next == null ? json : json.put("next", next));
        });
    }

    private static ProblemException absent() {
        return new ProblemException(Problem.notFound("no message of that topic is retained"));
    }

    private static JsonObject item(Message message) {
        JsonObject json = Json.object(RetainedView.of(message));
        MessageProperties properties = message.properties();
        if (message.payload().length <= MAX_PAYLOAD_BYTES) {
            String text = MqttText.text(message.payload());
            json.put("encoding", text == null ? "base64" : "text")
                    .put("payload", text == null ? Base64.getEncoder().encodeToString(message.payload()) : text);
        }
        return message.heapBytes() <= MAX_MESSAGE_BYTES ? json.put("properties", properties(properties)) : json;
    }

    private static JsonObject properties(MessageProperties properties) {
        JsonObject json = new JsonObject();
        if (properties.payloadFormat() >= 0) {
            json.put("payloadFormat", properties.payloadFormat());
        }
        if (properties.messageExpirySeconds() >= 0) {
            json.put("messageExpirySeconds", properties.messageExpirySeconds());
        }
        if (properties.contentType() != null) {
            json.put("contentType", properties.contentType());
        }
        if (properties.responseTopic() != null) {
            json.put("responseTopic", properties.responseTopic());
        }
        byte[] correlationData = properties.correlationData();
        if (correlationData != null) {
            json.put("correlationData", Base64.getEncoder().encodeToString(correlationData));
        }
        if (!properties.userProperties().isEmpty()) {
            JsonArray list = new JsonArray();
            properties
                    .userProperties()
                    .forEach(each ->
                            list.add(new JsonObject().put("name", each.name()).put("value", each.value())));
            json.put("userProperties", list);
        }
        return json;
    }
}
