package io.godwit.broker;

import io.godwit.kv.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A short run of a broker, from which the JVM writes the archive of loaded classes for {@code standalone.sh archive}.
 * It has {@link Main} start a broker in the given directory, with empty data and a free port of the loopback interface,
 * connects several kinds of {@link TrainingClient}, and ends. The archive then has the classes that a start and the
 * first clients need.
 *
 * <p>It also extracts the library of RocksDB from its jar to where a start looks for it first.
 */
public final class Training {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern LISTENING = Pattern.compile("listen=tcp 127\\.0\\.0\\.1:([0-9]+)\n");

    /** Enough for the JIT to compile the path of a message, so that a JVM that stores profiles of methods has them. */
    private static final int MESSAGES = 1_000;

    private static final int QUEUED = 200;

    private Training() {}

    /** @param args the directory to run in, and the directory for the library */
    public static void main(String[] args) {
        endSomeDay();
        try {
            train(Path.of(args[0]));
            NativeLibrary.keepIn(Path.of(args[1]));
        } catch (IOException | RuntimeException e) {
            System.err.println("godwit: the training has failed: " + e);
            Runtime.getRuntime().halt(1); // exit would first stop the broker in good order
        }
        System.exit(0);
    }

    private static void train(Path home) throws IOException {
        Path config = home.resolve("standalone.yml");
        Path data = home.resolve("data");
        Path plugins = home.resolve("plugins");
        Files.writeString(config, """
                bootstrap: true
                mqttServerConfig:
                  maxConnBandwidth: 0
                  tcpListener: {host: 127.0.0.1, port: 0}
                apiServerConfig: {port: 0}
                """);
        String[] words = {"--config", config.toString(), "--data", data.toString(), "--plugins", plugins.toString()};
        Thread broker = new Thread(() -> Main.main(words), "main");
        broker.start();
        int port = awaitReady(data.resolve("godwit.status"), broker);
        talk(port, 4);
        talk(port, 5);
    }

    /** A limit of time, since nobody watches this process. */
    private static void endSomeDay() {
        Thread guard = new Thread(
                () -> {
                    long end = System.nanoTime() + PATIENCE.toNanos();
                    while (System.nanoTime() < end) {
                        LockSupport.parkNanos(end - System.nanoTime());
                    }
                    System.err.println("godwit: the training has not ended in " + PATIENCE);
                    Runtime.getRuntime().halt(3);
                },
                "guard");
        guard.setDaemon(true);
        guard.start();
    }

    private static int awaitReady(Path status, Thread broker) throws IOException {
        while (broker.isAlive()) {
            if (Files.exists(status)) {
                Matcher listening = LISTENING.matcher(Files.readString(status));
                if (listening.find()) {
                    return Integer.parseInt(listening.group(1));
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new IOException("the broker has not started");
    }

    /** Does what clients do, at one protocol level. */
    private static void talk(int port, int level) throws IOException {
        try (TrainingClient subscriber = TrainingClient.connect(port, level, "subscriber", false);
                TrainingClient publisher = TrainingClient.connect(port, level, "publisher", false)) {
            subscriber.subscribe("training/#", 2);
            for (int i = 0; i < MESSAGES; i++) {
                publisher.publish("training/topic", "message", i % 3, false);
                subscriber.takeMessage();
            }
            for (int qos = 0; qos <= 2; qos++) {
                publisher.publish("training/retained" + qos, "retained", qos, true);
                subscriber.takeMessage();
            }
            subscriber.unsubscribe("training/#");
            subscriber.subscribe("training/+", 1);
            for (int i = 0; i < 3; i++) {
                subscriber.takeMessage();
            }
            subscriber.ping();

            try (TrainingClient persistent = TrainingClient.connect(port, level, "persistent", true)) {
                persistent.subscribe("queue/#", 2);
                publisher.publish("queue/topic", "early", 1, false);
                persistent.takeMessage();
                persistent.disconnect();
            }
            for (int i = 0; i < QUEUED; i++) {
                publisher.publish("queue/topic", "message", 1 + i % 2, false);
            }
            try (TrainingClient persistent = TrainingClient.connect(port, level, "persistent", true)) {
                for (int i = 0; i < QUEUED; i++) {
                    persistent.takeMessage();
                }
                persistent.disconnect();
            }
            for (int qos = 0; qos <= 2; qos++) {
                publisher.publish("training/retained" + qos, "", qos, true);
                subscriber.takeMessage();
            }
            subscriber.subscribe("will/#", 1);
            publisher.cut();
            subscriber.takeMessage();
            subscriber.disconnect();
        }
    }
}
