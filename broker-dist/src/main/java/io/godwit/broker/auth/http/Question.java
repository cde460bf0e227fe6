package io.godwit.broker.auth.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Requests as JSON; docs/authentication.md describes the fields. */
final class Question {
    private Question() {}

    static String of(ConnectRequest request) {
        JsonObject json = client("connect", request.client());
        byte[] password = request.password();
        String text = password == null ? null : text(password);
        json.addProperty("password", text);
        if (password != null && text == null) {
            json.addProperty("passwordBase64", Base64.getEncoder().encodeToString(password));
        }
        json.addProperty("userProven", request.isUserProven());
        if (!request.userProperties().isEmpty()) {
            JsonArray properties = new JsonArray();
            for (UserProperty each : request.userProperties()) {
                JsonArray pair = new JsonArray();
                pair.add(each.name());
                pair.add(each.value());
                properties.add(pair);
            }
            json.add("userProperties", properties);
        }
        X509Certificate certificate = request.certificate();
        if (certificate != null) {
            json.addProperty(
                    "certificateSubject", certificate.getSubjectX500Principal().getName());
            json.addProperty("certificateSerial", certificate.getSerialNumber().toString(16));
            json.addProperty(
                    "certificateIssuer", certificate.getIssuerX500Principal().getName());
        }
        return json.toString();
    }

    static String of(PublishRequest request) {
        JsonObject json = client("publish", request.client());
        json.addProperty("topic", request.topic());
        json.addProperty("qos", request.qos().value());
        json.addProperty("retain", request.retain());
        json.addProperty("will", request.isWill());
        return json.toString();
    }

    static String of(SubscribeRequest request) {
        JsonObject json = client("subscribe", request.client());
        json.addProperty("filter", request.filter().filter());
        json.addProperty("subscription", request.filter().text());
        json.addProperty("qos", request.qos().value());
        return json.toString();
    }

    private static JsonObject client(String check, ClientInfo client) {
        JsonObject json = new JsonObject();
        json.addProperty("check", check);
        json.addProperty("clientId", client.clientId().value());
        json.addProperty("user", client.userName());
        json.addProperty("tenant", client.tenant().value());
        json.addProperty("address", hostOf(client.remoteAddress()));
        json.addProperty("protocol", client.protocolLevel());
        return json;
    }

    /** Without the port, which differs for each connection. */
    private static String hostOf(String address) {
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }

    private static @Nullable String text(byte[] password) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(password))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
