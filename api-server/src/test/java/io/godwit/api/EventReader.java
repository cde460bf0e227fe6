package io.godwit.api;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A client of server-sent events. A test that waits longer than 20 seconds for one fails. */
final class EventReader implements AutoCloseable {
    private static final int MILLIS = 20_000;

    private final HttpURLConnection connection;
    private final BufferedReader lines;
    private int comments;

    /** An event. */
    record Told(String name, JsonObject data) {}

    /** @param headers names and values by turns */
    EventReader(int port, String path, String... headers) throws IOException {
        connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setConnectTimeout(MILLIS);
        connection.setReadTimeout(MILLIS);
        for (int i = 0; i < headers.length; i += 2) {
            connection.setRequestProperty(headers[i], headers[i + 1]);
        }
        if (connection.getResponseCode() != 200) {
            throw new IOException("answered " + connection.getResponseCode());
        }
        lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
    }

    String contentType() {
        return connection.getContentType();
    }

    /** Comments that were read so far. */
    int comments() {
        return comments;
    }

    /** @throws IOException when no event comes, or it is not valid */
    Told next() throws IOException {
        while (true) {
            String line = line();
            if (line.startsWith("event: ")) {
                String data = line();
                if (!data.startsWith("data: ") || !line().isEmpty()) {
                    throw new IOException("no event: " + line + " " + data);
                }
                return new Told(line.substring("event: ".length()), new JsonObject(data.substring("data: ".length())));
            }
            if (!line.equals(":") || !line().isEmpty()) {
                throw new IOException("no event: " + line);
            }
            comments++;
        }
    }

    private String line() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IOException("the stream has ended");
        }
        return line;
    }

    /** Whether nothing is left. */
    boolean isAtEnd() throws IOException {
        return lines.readLine() == null;
    }

    @Override
    public void close() {
        connection.disconnect();
    }
}
