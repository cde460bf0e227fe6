package io.godwit.it.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive of classes ({@code standalone.sh archive}) for the brokers of the tests, since there are hundreds: made
 * in a directory of its own when the first test needs it, for the options of {@link BrokerProcess}. No start makes one
 * by itself then, beside tests that measure. A broker that cannot use it loads its classes as ever.
 */
public final class ClassArchive {
    private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);
    private static final Path DIRECTORY = make();

    private ClassArchive() {}

    /** What tells the start script where the archive is. */
    public static Map<String, String> environment() {
        return Map.of("GODWIT_CACHE", DIRECTORY.toString(), "GODWIT_TRAINING", "off");
    }

    private static Path make() {
        try {
            Path directory = Files.createTempDirectory("classes");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            try (BrokerProcess broker =
                    new BrokerProcess(directory.resolve("broker"), Map.of("GODWIT_CACHE", directory.toString()))) {
                String said = broker.makeArchive();
                if (!said.contains("archive of classes made")) {
                    LOG.warn("no archive of classes: {}", said);
                }
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // shown by the JVM as it ends
        }
    }
}
