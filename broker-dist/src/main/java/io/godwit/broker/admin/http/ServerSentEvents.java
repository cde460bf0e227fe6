package io.godwit.broker.admin.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Parses a stream of server-sent events, chunk by chunk. Skips comments. Used by one thread. */
final class ServerSentEvents {
    private static final int MOST_BYTES = 1 << 20;

    /** Receives one event. */
    interface Taker<X extends Exception> {
        void take(String event, String data) throws X;
    }

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StringBuilder data = new StringBuilder();
    private String event = "";

    /** @throws IOException when a line or an event is larger than a broker sends */
    <X extends Exception> void feed(ByteBuffer bytes, Taker<X> taker) throws IOException, X {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next == '\n') {
                String text = line.toString(StandardCharsets.UTF_8);
                line.reset();
                take(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text, taker);
            } else if (line.size() >= MOST_BYTES) {
                throw tooLarge();
            } else {
                line.write(next);
            }
        }
    }

    private <X extends Exception> void take(String text, Taker<X> taker) throws IOException, X {
        if (text.isEmpty()) {
            if (!data.isEmpty()) {
                String name = event.isEmpty() ? "message" : event;
                String content = data.substring(0, data.length() - 1);
                event = "";
                data.setLength(0);
                taker.take(name, content);
            }
            event = "";
            return;
        }
        int colon = text.indexOf(':');
        String field = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(colon + (text.startsWith(" ", colon + 1) ? 2 : 1));
        if (field.equals("event")) {
            event = value;
        } else if (field.equals("data")) {
            if (data.length() + value.length() > MOST_BYTES) {
                throw tooLarge();
            }
            data.append(value).append('\n');
        }
    }

    private static IOException tooLarge() {
        return new IOException("an event has more than " + (MOST_BYTES >> 20) + " MiB");
    }
}
