package io.godwit.api.route.message;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.api.port.message.MessagePublisher.Outcome;
import io.godwit.api.port.message.MessagePublisher.Outgoing;
import io.godwit.api.route.Call;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.api.route.access.BanRoutes;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Publishes messages. */
public final class PublishRoutes {
    private static final String PROPERTIES = "properties.";

    private final MessagePublisher publisher;

    private PublishRoutes(MessagePublisher publisher) {
        this.publisher = publisher;
    }

    public static void add(Routes routes, MessagePublisher publisher) {
        PublishRoutes here = new PublishRoutes(publisher);
        routes.add("publishMessage", here::publish);
    }

    private CompletableFuture<Reply> publish(Call call) {
        Outgoing message = message(call.body());
        CompletableFuture<Outcome> outcome = Refused.as(
                publisher.publish(call.tenant(), message),
                MessagePublisher.TooLargeException.class,
                large -> new ProblemException(
                        new Problem(413, "too-large", "The message is too large", String.valueOf(large.getMessage()))));
        outcome = Refused.as(
                outcome,
                MessagePublisher.WrongFieldException.class,
                wrong -> MqttText.wrong(wrong.field(), String.valueOf(wrong.getMessage())));
        outcome = Refused.as(
                outcome,
                MessagePublisher.TooFastException.class,
                fast -> new ProblemException(Problem.tooMany(String.valueOf(fast.getMessage()), fast.waitFor())));
        outcome = Refused.as(outcome, LimitReachedException.class, BanRoutes::full);
        return Refused.as(outcome, wrong -> MqttText.wrong("topic", String.valueOf(wrong.getMessage())))
                .thenApply(PublishRoutes::reply);
    }

    private static Reply reply(Outcome outcome) {
        return switch (outcome) {
            case DELIVERED -> outcome("delivered");
            case NO_SUBSCRIBERS -> outcome("no-subscribers");
            case OVERLOADED ->
                throw new ProblemException(Problem.unavailable("a store is overloaded; nothing was published"));
            case NOT_STORED ->
                throw new ProblemException(new Problem(
                        503,
                        "not-stored",
                        "The message was not stored",
                        "a store did not answer in time; some receivers may have got the message"));
        };
    }

    private static Reply outcome(String text) {
        return Reply.json(new JsonObject().put("outcome", text));
    }

    private static Outgoing message(JsonObject body) {
        String topic = MqttText.topic("topic", body.getString("topic"));
        String payload = body.getString("payload", "");
        byte[] bytes = body.getString("encoding", "text").equals("base64")
                ? MqttText.base64("payload", payload)
                : MqttText.utf8("payload", payload);
        MessageProperties properties = properties(body.getJsonObject("properties", new JsonObject()));
        if (properties.payloadFormat() == 1 && MqttText.text(bytes) == null) {
            throw MqttText.wrong("payload", "is not UTF-8, although properties.payloadFormat says so");
        }
        return new Outgoing(
                topic, bytes, Qos.of(body.getInteger("qos", 0)), body.getBoolean("retain", false), properties);
    }

    @SuppressWarnings("NullAway") // the Java 17 compiler does not see "byte @Nullable []" in another module's class
    private static MessageProperties properties(JsonObject json) {
        if (json.isEmpty()) {
            return MessageProperties.NONE;
        }
        String responseTopic = json.getString("responseTopic");
        String correlationData = json.getString("correlationData");
        byte[] correlation =
                correlationData == null ? null : MqttText.base64(PROPERTIES + "correlationData", correlationData);
        if (correlation != null && correlation.length > 65_535) {
            throw MqttText.wrong(PROPERTIES + "correlationData", "has more than 65535 bytes");
        }
        return new MessageProperties(
                json.getInteger("payloadFormat", -1),
                json.getLong("messageExpirySeconds", -1L),
                stringOrNull(json, "contentType"),
                responseTopic == null ? null : MqttText.topic(PROPERTIES + "responseTopic", responseTopic),
                correlation,
                userProperties(json.getJsonArray("userProperties", new JsonArray())));
    }

    private static @Nullable String stringOrNull(JsonObject json, String name) {
        String text = json.getString(name);
        return text == null ? null : MqttText.string(PROPERTIES + name, text);
    }

    private static List<UserProperty> userProperties(JsonArray array) {
        List<UserProperty> properties = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            JsonObject each = array.getJsonObject(i);
            String field = PROPERTIES + "userProperties." + i;
            properties.add(new UserProperty(
                    MqttText.string(field + ".name", each.getString("name")),
                    MqttText.string(field + ".value", each.getString("value"))));
        }
        return properties;
    }
}
