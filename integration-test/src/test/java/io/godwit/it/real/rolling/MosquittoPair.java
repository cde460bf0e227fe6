package io.godwit.it.real.rolling;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code mosquitto_pub} and {@code mosquitto_sub}, which tell what they do with {@code -d}. They speak 3.1.1: with 5.0
 * they end when a server that stops says so.
 */
final class MosquittoPair implements Pair {
    private static final String TOPIC = "rolling/mosquitto";
    private static final Pattern PUBACK = Pattern.compile("received PUBACK \\(Mid: (\\d+)");
    private static final Pattern GIVEN = Pattern.compile("^given (\\d+)$");

    private final InetSocketAddress server;
    private final Tally tally;
    /** The packet ids are 1, 2 and so on. */
    private final List<Integer> published = new ArrayList<>();

    private volatile boolean isSubscribed;
    private @Nullable Program publisher;
    private @Nullable Program subscriber;

    MosquittoPair(InetSocketAddress server, Tally tally) {
        this.server = server;
        this.tally = tally;
    }

    @Override
    public void connect() throws IOException {
        Program subscribing = new Program(
                command("mosquitto_sub", "mosquitto-subscriber", "-F", "given %p"), Map.of(), this::subscriberSays);
        subscriber = subscribing;
        subscribing.await("a subscription", program -> isSubscribed);
        Program publishing =
                new Program(command("mosquitto_pub", "mosquitto-publisher", "-l"), Map.of(), this::publisherSays);
        publisher = publishing;
        publishing.await("a connection", program -> tally.publisherConnections() > 0);
    }

    private List<String> command(String program, String clientId, String... more) {
        List<String> words =
                new ArrayList<>(List.of("stdbuf", "-oL", program, "-d", "-V", "mqttv311", "-c", "-q", "1"));
        words.addAll(List.of("-h", server.getAddress().getHostAddress(), "-p", Integer.toString(server.getPort())));
        words.addAll(List.of("-i", clientId, "-t", TOPIC));
        words.addAll(List.of(more));
        return words;
    }

    private void subscriberSays(String line) {
        Matcher given = GIVEN.matcher(line);
        if (given.find()) {
            tally.given(Integer.parseInt(given.group(1)));
        } else if (line.contains("received CONNACK (0)")) {
            tally.subscriberConnected();
        } else if (line.startsWith("Subscribed")) {
            isSubscribed = true;
        }
    }

    private void publisherSays(String line) {
        Matcher puback = PUBACK.matcher(line);
        if (puback.find()) {
            tally.acknowledged(number(Integer.parseInt(puback.group(1))));
        } else if (line.contains("received CONNACK (0)")) {
            tally.publisherConnected();
        }
    }

    private int number(int packetId) {
        synchronized (published) {
            return published.get(packetId - 1);
        }
    }

    @Override
    public void publish(int number) throws IOException {
        Program running = publisher;
        if (running == null) {
            throw new IOException("not connected");
        }
        synchronized (published) {
            published.add(number);
        }
        running.write(Integer.toString(number));
    }

    @Override
    public String said() {
        return "mosquitto_pub: " + said(publisher) + "\nmosquitto_sub: " + said(subscriber);
    }

    private static String said(@Nullable Program program) {
        return program == null ? "not started" : program.said();
    }

    @Override
    public void close() {
        for (Program program : new @Nullable Program[] {publisher, subscriber}) {
            if (program != null) {
                program.close();
            }
        }
    }
}
