package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.audit.RecordBudget;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.access.LocalCallers;
import io.godwit.api.stream.StreamBounds;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The API over a {@link FakeNode} on a free port, and an HTTP client. Each answer is compared with the document on the
 * client's side.
 */
final class ApiFixture implements AutoCloseable {
    static final HttpLimits LIMITS = new HttpLimits(
            200,
            150,
            16_384,
            16_384,
            1_024,
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofSeconds(20),
            100_000,
            100_000);

    /** All local callers are of the broker's own user. */
    static final LocalCallers TRUSTED = each(ends -> true);

    final FakeNode node = new FakeNode();
    private final ApiServer server;
    private final InetSocketAddress address;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(20))
            .build();

    /** What a file looked like. */
    static final class ContentWatch implements FileWatch {
        private final Path file;
        private byte[] before;

        ContentWatch(Path file) {
            this.file = file;
            before = content();
        }

        private byte[] content() {
            try {
                return Files.readAllBytes(file);
            } catch (IOException e) {
                return new byte[0];
            }
        }

        @Override
        public boolean hasChanged() {
            byte[] now = content();
            boolean changed = !Arrays.equals(now, before);
            before = now;
            return changed;
        }
    }

    /** As if the kernel told of each connection whether it is of the broker's own user. */
    static LocalCallers each(Predicate<LocalCallers.Ends> isTrusted) {
        return connections -> connections.stream()
                .map(ends -> isTrusted.test(ends) ? LocalCallers.Peer.TRUSTED : LocalCallers.Peer.ANOTHER_USER)
                .toList();
    }

    private ApiFixture(HttpLimits limits, Optional<Path> tokens, LocalCallers local) throws Exception {
        this(limits, tokens, local, StreamBounds.DEFAULTS);
    }

    private ApiFixture(HttpLimits limits, Optional<Path> tokens, LocalCallers local, StreamBounds bounds)
            throws Exception {
        this(limits, tokens, local, bounds, RecordBudget.Bounds.of(limits.requestsPerSecondPerCaller()));
    }

    private ApiFixture(
            HttpLimits limits,
            Optional<Path> tokens,
            LocalCallers local,
            StreamBounds bounds,
            RecordBudget.Bounds records)
            throws Exception {
        server = new ApiServer(
                new ApiConfig("127.0.0.1", 0, Optional.empty(), tokens, true, limits),
                ports(node, local),
                bounds,
                records);
        address = server.start();
    }

    static ApiPorts ports(FakeNode node, LocalCallers local) {
        return new ApiPorts(
                node,
                Optional.of(node.stores),
                Optional.of(node.settings),
                Optional.of(node),
                Optional.of(node.sessions),
                Optional.of(node.sessions),
                Optional.of(node.sessions),
                Optional.of(node.messages),
                Optional.of(node.messages),
                Optional.of(node.delayed),
                Optional.of(node),
                Optional.of(node),
                Optional.of(node),
                Optional.of(node),
                Optional.of(node.records),
                Optional.of(node.records),
                Optional.of(node.users),
                Optional.of(node.watches),
                Optional.of(node.top),
                Optional.of(() -> node.webSockets),
                node.audit,
                node.counts,
                local,
                ContentWatch::new);
    }

    /** Everybody is the administrator. */
    static ApiFixture open() throws Exception {
        return open(LIMITS);
    }

    static ApiFixture open(HttpLimits limits) throws Exception {
        return new ApiFixture(limits, Optional.empty(), TRUSTED);
    }

    static ApiFixture withTokens(Path file) throws Exception {
        return new ApiFixture(LIMITS, Optional.of(file), TRUSTED);
    }

    static ApiFixture withTokens(Path file, HttpLimits limits) throws Exception {
        return new ApiFixture(limits, Optional.of(file), TRUSTED);
    }

    static ApiFixture recording(Path tokens, RecordBudget.Bounds bounds) throws Exception {
        return new ApiFixture(LIMITS, Optional.of(tokens), TRUSTED, StreamBounds.DEFAULTS, bounds);
    }

    static ApiFixture streaming(HttpLimits limits, Optional<Path> tokens, StreamBounds bounds) throws Exception {
        return new ApiFixture(limits, tokens, TRUSTED, bounds);
    }

    /** Callers are of another user of this machine. */
    static ApiFixture ofStrangers() throws Exception {
        return with(LIMITS, each(ends -> false));
    }

    /** Without tokens. */
    static ApiFixture with(HttpLimits limits, LocalCallers local) throws Exception {
        return new ApiFixture(limits, Optional.empty(), local);
    }

    ApiServer server() {
        return server;
    }

    int port() {
        return address.getPort();
    }

    /** An answer that matches the document. */
    record Got(int status, String type, String text, HttpResponse<String> response) {
        JsonObject json() {
            return new JsonObject(text);
        }

        /** The last part of a problem's type. */
        String problem() {
            assertThat(type).isEqualTo("application/problem+json");
            assertThat(json().getInteger("status")).isEqualTo(status);
            return json().getString("type").replace("urn:godwit:problem:", "");
        }

        /** The first field that a problem names. */
        String field() {
            return json().getJsonArray("errors").getJsonObject(0).getString("field");
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    Got get(String path, String... headers) throws Exception {
        return send("GET", path, null, headers);
    }

    /** @param headers names and values by turns */
    Got send(String method, String path, @Nullable String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(30))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        String type = response.headers().firstValue("Content-Type").orElse("").replaceAll(";.*", "");
        Got got = new Got(response.statusCode(), type, response.body(), response);
        if (!method.equals("HEAD")) {
            compare(method, path, got);
        }
        return got;
    }

    /** For an operation, compares with its own schemas; for any other path, with those of a problem. */
    private void compare(String method, String path, Got got) {
        Optional<Operation> operation = server.contract().operations().stream()
                .filter(each -> each.method().equals(method) && pattern(each, path))
                .findFirst();
        if (operation.isEmpty()) {
            got.problem();
            return;
        }
        Object body = got.type().endsWith("json")
                ? got.text().startsWith("[") ? new io.vertx.core.json.JsonArray(got.text()) : got.json()
                : got.text();
        boolean partial = path.contains("fields=");
        if (!partial) {
            assertThat(operation.get().answerErrors(got.status(), got.type(), body))
                    .as("%s %s: %s", method, path, got.text())
                    .isEmpty();
        }
    }

    private static boolean pattern(Operation operation, String path) {
        String plain = path.replaceAll("\\?.*", "");
        return plain.equals(operation.path()) || plain.matches(operation.path().replaceAll("\\{\\w+}", "[^/]+"));
    }

    /** The answer to these bytes until the server closes, or {@code millis} pass without any. */
    String raw(String request, int millis) throws IOException {
        try (Socket socket = connect()) {
            socket.setSoTimeout(millis);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return readAll(socket);
        }
    }

    Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port());
    }

    static String readAll(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] bytes = new byte[8_192];
        try {
            for (int n = socket.getInputStream().read(bytes);
                    n >= 0;
                    n = socket.getInputStream().read(bytes)) {
                text.append(new String(bytes, 0, n, StandardCharsets.UTF_8));
            }
        } catch (java.net.SocketTimeoutException e) {
            text.append("<open>");
        } catch (java.net.SocketException e) {
            text.append("<reset>");
        }
        return text.toString();
    }

    @Override
    public void close() {
        server.close();
    }
}
