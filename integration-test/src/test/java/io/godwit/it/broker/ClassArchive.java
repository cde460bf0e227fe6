package io.godwit.it.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive of classes ({@code standalone.sh archive}) for the brokers of the tests, since there are hundreds: made
 * when the first test needs it, for the options of {@link BrokerProcess}, in a directory below {@code target}. Other
 * JVMs that run tests of the same build wait for it and find it there: its name tells what it was made of. No start
 * makes one by itself then, beside tests that measure. A broker that cannot use it loads its classes as ever.
 */
public final class ClassArchive {
    private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);
    /** Archives of earlier builds that stay: each has some forty megabytes. */
    private static final int KEPT = 4;

    /** Where the start script of a distribution takes the jars from its own directory. */
    private static final String OWN_JARS = "    dist=$root\n";

    private static final Path DIRECTORY = make();

    private ClassArchive() {}

    /** What tells the start script where the archive is. */
    public static Map<String, String> environment() {
        return Map.of("GODWIT_CACHE", DIRECTORY.toString(), "GODWIT_TRAINING", "off");
    }

    /**
     * Lets brokers of a copy of the distribution use it: their start script runs the jars of the distribution itself,
     * because an archive fits only jars at the paths of which it was made. Without one, a start takes twice as long.
     *
     * @param script the copy's {@code bin/standalone.sh}, which is changed
     * @throws IOException also if the script has no line that says where its jars are
     */
    public static void letUse(Path script) throws IOException {
        String text = Files.readString(script);
        if (!text.contains(OWN_JARS)) {
            throw new IOException(script + " has no line \"" + OWN_JARS.strip() + '"');
        }
        Path jars = BrokerProcess.distribution().toRealPath();
        Files.writeString(script, text.replace(OWN_JARS, "    dist='" + jars + "'\n"));
    }

    private static Path make() {
        Path directory = Path.of("target", "class-archives").toAbsolutePath();
        try {
            Files.createDirectories(directory);
            try (FileChannel file =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                file.lock(); // until it is closed
                makeUnlessThere(directory);
                deleteOld(directory);
            }
        } catch (IOException e) {
            LOG.warn("no archive of classes", e); // it is made at low priority, which may take too long
        }
        return directory;
    }

    private static void makeUnlessThere(Path directory) throws IOException {
        Path home = Files.createTempDirectory("archive");
        try (BrokerProcess broker = new BrokerProcess(home, Map.of("GODWIT_CACHE", directory.toString()))) {
            String said = broker.makeArchive();
            if (!said.contains("archive of classes made") && !said.contains("archive of classes is there")) {
                LOG.warn("no archive of classes: {}", said);
            }
        } finally {
            delete(home);
        }
    }

    /** A broker that uses one has it open. */
    private static void deleteOld(Path directory) throws IOException {
        List<Path> archives = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(file -> file.getFileName().toString().startsWith("broker-"))
                    .forEach(archives::add);
        }
        archives.sort(Comparator.comparing(ClassArchive::madeAt).reversed());
        for (Path old : archives.subList(Math.min(KEPT, archives.size()), archives.size())) {
            Files.deleteIfExists(old);
        }
    }

    private static FileTime madeAt(Path archive) {
        try {
            return Files.getLastModifiedTime(archive);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
