package io.godwit.broker.admin.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.common.failure.Failures;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls one API. For a program's only thread: each call blocks, up to a given time. Reads answers up to 16 MiB, which
 * is more than the largest page. Follows no redirects, uses no proxy and stores no cookies.
 */
public final class ApiClient {
    private static final int MOST_BYTES = 16 << 20;

    private final ApiTarget target;
    private final Duration timeout;
    private final HttpClient http;

    public ApiClient(ApiTarget target, Duration timeout) {
        this.target = target;
        this.timeout = timeout;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .sslContext(target.tls())
                .connectTimeout(timeout)
                .build();
    }

    /**
     * An answer with any status.
     *
     * @param json null if the body is no JSON
     */
    public record Answer(int status, @Nullable JsonElement json) {}

    /** The object of a successful answer. */
    public JsonObject get(ApiPath path) throws AdminException {
        return object(ok("GET", path, null));
    }

    /** As {@link #get}, for an answer that may be a list. */
    public JsonElement getAny(ApiPath path) throws AdminException {
        JsonElement json = ok("GET", path, null).json();
        if (json == null) {
            throw notJson();
        }
        return json;
    }

    /** The object of the answer; empty if the answer has no body. */
    public JsonObject delete(ApiPath path) throws AdminException {
        return changed(ok("DELETE", path, null));
    }

    public JsonObject put(ApiPath path, JsonObject body) throws AdminException {
        return changed(ok("PUT", path, body));
    }

    /**
     * Replaces the resource if it has that version.
     *
     * @param version as in an answer; empty to replace any version
     * @return false if it has another version
     */
    public boolean replace(ApiPath path, String version, JsonObject body) throws AdminException {
        Answer answer = ask("PUT", path, body, version);
        if (answer.status() == 412) {
            return false;
        }
        if (answer.status() < 200 || answer.status() >= 300) {
            throw refused(answer);
        }
        return true;
    }

    public JsonObject post(ApiPath path, JsonObject body) throws AdminException {
        return changed(ok("POST", path, body));
    }

    private JsonObject changed(Answer answer) throws AdminException {
        return answer.status() == 204 ? new JsonObject() : object(answer);
    }

    private JsonObject object(Answer answer) throws AdminException {
        if (answer.json() instanceof JsonObject object) {
            return object;
        }
        throw notJson();
    }

    private AdminException notJson() {
        return new AdminException(
                Kind.FAILED, target + " has not answered like the API of a broker; is the address right?");
    }

    private Answer ok(String method, ApiPath path, @Nullable JsonObject body) throws AdminException {
        Answer answer = ask(method, path, body);
        if (answer.status() >= 200 && answer.status() < 300) {
            return answer;
        }
        throw refused(answer);
    }

    /** The exception for an answer of {@link #ask} that the caller cannot use. */
    public AdminException refused(Answer answer) {
        return ApiProblems.refused(target, answer.status(), answer.json() instanceof JsonObject object ? object : null);
    }

    /** @param body null for none */
    public Answer ask(String method, ApiPath path, @Nullable JsonObject body) throws AdminException {
        return ask(method, path, body, "");
    }

    private Answer ask(String method, ApiPath path, @Nullable JsonObject body, String version) throws AdminException {
        HttpRequest.Builder request = request(path)
                .header("Accept", "application/json, application/problem+json")
                .method(
                        method,
                        body == null
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (!version.isEmpty()) {
            request.header("If-Match", '"' + version + '"');
        }
        HttpResponse<byte[]> response =
                await(!method.equals("GET"), http.sendAsync(request.build(), head -> new BoundedBody(MOST_BYTES)));
        return new Answer(response.statusCode(), json(response, response.body()));
    }

    private HttpRequest.Builder request(ApiPath path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target.url() + path.toString()))
                .timeout(timeout);
        if (!target.token().isEmpty()) {
            request.header("Authorization", "Bearer " + target.token());
        }
        return request;
    }

    /** The timeout of the request covers only the head of the answer; this one covers the body too. */
    private <T> HttpResponse<T> await(boolean isChange, CompletableFuture<HttpResponse<T>> sent) throws AdminException {
        try {
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw ApiProblems.failed(target, isChange, timeout.toSeconds(), Failures.cause(e));
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw ApiProblems.failed(target, isChange, timeout.toSeconds(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(Kind.FAILED, "interrupted", e);
        }
    }

    private static @Nullable JsonElement json(HttpResponse<?> response, byte[] body) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        boolean isJson = type.startsWith("application/json") || type.startsWith("application/problem+json");
        return isJson ? parsed(new String(body, StandardCharsets.UTF_8)) : null;
    }

    /** Null if the text is no JSON. */
    private static @Nullable JsonElement parsed(String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            JsonElement json = JsonParser.parseReader(reader);
            return reader.peek() == JsonToken.END_DOCUMENT ? json : null;
        } catch (IOException | JsonParseException e) {
            return null;
        }
    }

    /** Receives one event of a stream. */
    public interface EventTaker {
        void take(String event, JsonObject data) throws AdminException;
    }

    /**
     * Receives server-sent events until the API ends the stream.
     *
     * @param silence the longest time without any data, comments included
     */
    public void stream(ApiPath path, Duration silence, EventTaker taker) throws AdminException {
        HttpRequest request =
                request(path).header("Accept", "text/event-stream").build();
        HttpResponse<Object> response = await(
                false,
                http.sendAsync(
                        request,
                        head -> head.statusCode() == 200
                                ? BodySubscribers.mapping(new StreamParts(), parts -> parts)
                                : BodySubscribers.mapping(new BoundedBody(MOST_BYTES), bytes -> bytes)));
        if (response.body() instanceof StreamParts parts) {
            try {
                take(parts, silence, taker);
            } finally {
                parts.cancel();
            }
        } else {
            throw refused(new Answer(response.statusCode(), json(response, (byte[]) response.body())));
        }
    }

    private void take(StreamParts parts, Duration silence, EventTaker taker) throws AdminException {
        ServerSentEvents events = new ServerSentEvents();
        try {
            for (List<ByteBuffer> next = parts.next(silence); next != null; next = parts.next(silence)) {
                for (ByteBuffer bytes : next) {
                    events.<AdminException>feed(bytes, (event, data) -> {
                        if (!(parsed(data) instanceof JsonObject object)) {
                            throw notJson();
                        }
                        taker.take(event, object);
                    });
                }
            }
        } catch (IOException e) {
            throw ApiProblems.failed(target, false, silence.toSeconds(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(Kind.FAILED, "interrupted", e);
        }
    }
}
