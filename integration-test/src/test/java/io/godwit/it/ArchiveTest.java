package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes that a start leaves for the next one, in an installation of its own. */
class ArchiveTest {
    /** As it stands in the JVM's own account of the classes that it loads. */
    private static final String OUT_OF_THE_ARCHIVE = "io.godwit.broker.Main source: shared objects file";

    @TempDir
    private Path directory;

    private Path installation;
    private Path cache;

    /** The scripts find everything else from where they lie. */
    @BeforeEach
    void install() throws IOException {
        Path distribution = BrokerProcess.distribution().toRealPath();
        installation = Files.createDirectories(directory.resolve("installation"));
        cache = installation.resolve("cache");
        for (String each : List.of("conf", "lib")) {
            Files.createSymbolicLink(installation.resolve(each), distribution.resolve(each));
        }
        Files.createDirectory(installation.resolve("bin"));
        Files.copy(distribution.resolve("bin/standalone.sh"), installation.resolve("bin/standalone.sh"));
    }

    /** Its start script looks where it looks for users. */
    private BrokerProcess broker(String name) throws IOException {
        return new BrokerProcess(directory.resolve(name))
                .installedIn(installation)
                .environment("GODWIT_CACHE", "")
                .environment("XDG_CACHE_HOME", directory.resolve("xdg").toString())
                .environment("GODWIT_TRAINING", "")
                .jvmOption("-Xlog:class+load:file=" + classes(name));
    }

    /** As the JVM told; the whole of that, in the message of a failure, would be more than a report takes. */
    private boolean usesArchive(String name) throws IOException {
        return Files.readString(classes(name)).contains(OUT_OF_THE_ARCHIVE);
    }

    private Path classes(String name) {
        return directory.resolve(name + ".classes");
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void theFirstStartMakesItTheNextOneUsesItAndADamagedOneIsReplaced() throws Exception {
        // of an earlier build, and of somebody who keeps other files in the directory
        Path earlier = old("broker-17-0123456789abcdef0123.jsa");
        Path foreign = old("broker-settings.yml");
        startAndStop("first", true);
        assertThat(usesArchive("first")).isFalse();
        assertThat(earlier).doesNotExist();
        assertThat(foreign).exists();
        Files.delete(foreign);
        Path archive = archives(cache).get(0);
        long bytes = Files.size(archive);

        startAndStop("second", false);
        assertThat(usesArchive("second")).isTrue();

        halve(archive);
        // where no directory can be made in the installation, the one of the user is taken
        Path users = directory.resolve("xdg/godwit");
        Files.createDirectories(users.getParent());
        Files.move(cache, users);
        Files.writeString(cache, "in the way");
        startAndStop("third", true);
        assertThat(usesArchive("third")).isFalse();
        assertThat(archives(users)).containsExactly(users.resolve(archive.getFileName()));
        assertThat(Files.size(archives(users).get(0))).isGreaterThan(bytes / 2);

        startAndStop("fourth", false);
        assertThat(usesArchive("fourth")).isTrue();
        try (BrokerProcess broker = broker("fourth")) {
            assertThat(broker.makeArchive()).contains("the archive of classes is there: " + users);
        }
    }

    private Path old(String name) throws IOException {
        Path file = Files.createDirectories(cache).resolve(name);
        return Files.setLastModifiedTime(Files.writeString(file, "old"), FileTime.from(Instant.EPOCH));
    }

    private static void halve(Path archive) throws IOException {
        assertThat(archive.toFile().setWritable(true)).isTrue();
        try (FileChannel file = FileChannel.open(archive, StandardOpenOption.WRITE)) {
            file.truncate(file.size() / 2);
        }
    }

    /** @param leavesArchive whether one is made meanwhile */
    private void startAndStop(String name, boolean leavesArchive) throws IOException {
        try (BrokerProcess broker = broker(name)) {
            broker.start();
            Path log = broker.log().resolve("start.log");
            if (leavesArchive) {
                Await.until(
                        "the archive",
                        Duration.ofMinutes(3),
                        () -> Files.readString(log).contains("archive of classes"));
                assertThat(log).content().containsOnlyOnce("archive of classes made");
            }
            broker.stop();
            assertThat(log).content().doesNotContainIgnoringCase("warning").doesNotContain("[error]");
            if (!leavesArchive) {
                assertThat(log).content().doesNotContain("archive");
            }
        }
    }

    /** All brokers of these tests start with one that the command has made. */
    @Test
    @Tag("smoke")
    void theCommandMakesIt() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .jvmOption("-Xlog:class+load:file=" + classes("broker"))) {
            broker.start();
            broker.stop();
            assertThat(usesArchive("broker")).isTrue();
            assertThat(broker.environment("GODWIT_CACHE", "off").makeArchive()).contains("no archive of classes");
        }
    }

    /** Options that do not go together with it keep no broker from starting, and no archive is made for them. */
    @Test
    void whoHasOptionsForAnotherArchiveIsLeftAlone() throws Exception {
        try (BrokerProcess broker = broker("own").jvmOption("-Xshare:off")) {
            broker.start();
            broker.stop();
        }
        assertThat(cache).doesNotExist();
    }

    /** The JVM writes one all the same, of the few classes that were loaded until then. */
    @Test
    void noArchiveExistsIfTheTrainingFails() throws Exception {
        try (BrokerProcess broker =
                broker("failing").environment("JAVA_TOOL_OPTIONS", "-Dinbox_store_replica_voter_count=none")) {
            assertThat(broker.makeArchive()).contains("no archive of classes");
        }
        assertThat(archives(cache))
                .singleElement()
                .satisfies(mark -> assertThat(mark).hasExtension("none"));
    }

    private static List<Path> archives(Path cache) throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(file -> file.getFileName().toString().startsWith("broker-"))
                    .toList();
        }
    }
}
