package io.godwit.it.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The events of one run in one order. If a client learned something before another client sent something, the two stand
 * in that order. Thread-safe: all clients add to it.
 */
final class History {
    private final long begin = System.nanoTime();
    private final List<Event> events = new ArrayList<>();
    private long messagesIn;
    private long acknowledgedQos1;
    private long acknowledgedQos2;

    synchronized void add(Event event) {
        events.add(event.at(System.nanoTime() - begin));
        switch (event.kind()) {
            case PUBLISH_IN -> messagesIn++;
            case PUBACK_IN -> acknowledgedQos1 += event.code() < 0x80 ? 1 : 0;
            case PUBREC_IN -> acknowledgedQos2 += event.code() < 0x80 ? 1 : 0;
            default -> {}
        }
    }

    synchronized long messagesIn() {
        return messagesIn;
    }

    /** PUBACKs so far, those that refuse not counted. */
    synchronized long acknowledgedQos1() {
        return acknowledgedQos1;
    }

    /** PUBRECs so far, those that refuse not counted. */
    synchronized long acknowledgedQos2() {
        return acknowledgedQos2;
    }

    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** Writes it as text, a line an event, so that a failure can be checked again and read. */
    void save(Path file) throws IOException {
        try (Writer out = new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(file), 64 * 1024), StandardCharsets.UTF_8)) {
            for (Event event : events()) {
                out.write(line(event));
                out.write('\n');
            }
        }
    }

    static List<Event> load(Path file) throws IOException {
        List<Event> events = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                events.add(event(line));
            }
        }
        return events;
    }

    private static String line(Event event) {
        MessageId message = event.message();
        String tail = message == null
                ? ""
                : "\t" + message.publisher() + '\t' + message.topic() + '\t' + message.qos() + '\t'
                        + message.sequence();
        String text = event.text();
        return event.nanos() + "\t" + event.kind() + '\t' + event.client() + '\t' + event.connection() + '\t'
                + event.packetId() + '\t' + event.code() + '\t' + event.flag() + '\t' + event.retain() + '\t'
                + (text == null ? "" : text) + tail;
    }

    private static Event event(String line) {
        String[] words = line.split("\t", -1);
        @Nullable
        MessageId message = words.length < 13
                ? null
                : new MessageId(words[9], words[10], Integer.parseInt(words[11]), Long.parseLong(words[12]));
        return new Event(
                Long.parseLong(words[0]),
                Event.Kind.valueOf(words[1]),
                words[2],
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]),
                Boolean.parseBoolean(words[6]),
                Boolean.parseBoolean(words[7]),
                words[8].isEmpty() ? null : words[8],
                message);
    }
}
