package io.godwit.broker.admin.api.message;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.InputBytes;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin publish}. */
@Command(
        name = "publish",
        description = {
            "Publishes a message, and ends when the broker would have acknowledged it to a client. An empty payload",
            "with --retain clears the topic."
        })
public final class PublishCommand extends ApiCommand {
    private static final int MOST_BYTES = 32 << 20;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "as the broker matches it, behind rewriting rules")
    private String topic = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "PAYLOAD", description = "text; '' for an empty one")
    private @Nullable String payload;

    @Option(names = "--file", paramLabel = "FILE", description = "the payload is in this file, - for standard input")
    private @Nullable Path file;

    @Option(names = "--qos", paramLabel = "0|1|2", defaultValue = "1", description = "(default: 1)")
    private int qos = 1;

    @Option(names = "--retain", description = "have it retained")
    private boolean isRetained;

    @Option(names = "--expiry", paramLabel = "SECONDS", description = "after which nobody is sent it any more")
    private @Nullable Long expirySeconds;

    @Option(names = "--content-type", paramLabel = "TEXT", description = "property of MQTT 5.0")
    private @Nullable String contentType;

    @Option(names = "--response-topic", paramLabel = "TOPIC", description = "property of MQTT 5.0")
    private @Nullable String responseTopic;

    @Option(names = "--correlation-data", paramLabel = "TEXT", description = "property of MQTT 5.0")
    private @Nullable String correlationData;

    @Option(
            names = "--user-property",
            paramLabel = "NAME=VALUE",
            description = "property of MQTT 5.0; may be given several times")
    private List<String> userProperties = List.of();

    @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
    private @Nullable String tenant;

    public PublishCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject body = new JsonObject();
        body.addProperty("topic", topic);
        addPayload(body);
        body.addProperty("qos", qos);
        body.addProperty("retain", isRetained);
        JsonObject properties = properties();
        if (!properties.isEmpty()) {
            body.add("properties", properties);
        }
        JsonObject answer = client.post(ApiPath.of("/api/v1/publish").with("tenant", tenant), body);
        output.done(
                "published to " + topic + ": "
                        + Columns.shown("", answer.get("outcome")).replace('-', ' '),
                answer);
    }

    private void addPayload(JsonObject body) throws AdminException {
        Path source = file;
        if ((payload == null) == (source == null)) {
            throw new AdminException(Kind.USAGE, "say PAYLOAD or --file FILE; '' is an empty payload");
        }
        if (source == null) {
            body.addProperty("payload", payload);
            return;
        }
        body.addProperty("payload", Base64.getEncoder().encodeToString(InputBytes.read(source, "payload", MOST_BYTES)));
        body.addProperty("encoding", "base64");
    }

    private JsonObject properties() throws AdminException {
        JsonObject properties = new JsonObject();
        if (expirySeconds != null) {
            properties.addProperty("messageExpirySeconds", expirySeconds);
        }
        if (contentType != null) {
            properties.addProperty("contentType", contentType);
        }
        if (responseTopic != null) {
            properties.addProperty("responseTopic", responseTopic);
        }
        if (correlationData != null) {
            properties.addProperty(
                    "correlationData",
                    Base64.getEncoder().encodeToString(correlationData.getBytes(StandardCharsets.UTF_8)));
        }
        JsonArray pairs = new JsonArray();
        for (String property : userProperties) {
            int equals = property.indexOf('=');
            if (equals < 0) {
                throw new AdminException(Kind.USAGE, "--user-property must be NAME=VALUE, but is " + property);
            }
            JsonObject pair = new JsonObject();
            pair.addProperty("name", property.substring(0, equals));
            pair.addProperty("value", property.substring(equals + 1));
            pairs.add(pair);
        }
        if (!pairs.isEmpty()) {
            properties.add("userProperties", pairs);
        }
        return properties;
    }
}
