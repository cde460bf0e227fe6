package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** What the distribution has, and how large it is: the archive is this directory, packed. */
class PackedDistributionTest {
    private static final long MAX_LIBRARIES_BYTES = 110L << 20;
    /**
     * Of 69.9 MB on 2026-11-28 RocksDB had 25, Bouncy Castle 6, the load tool 4 and the documents 0.9. Commons Compress
     * and Caffeine, with 1.9, came on 2026-11-30.
     */
    private static final long MAX_ARCHIVE_BYTES = 70L << 20;

    private static List<Path> libraries() throws IOException {
        try (Stream<Path> files = Files.list(BrokerProcess.distribution().resolve("lib"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static List<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }

    @Test
    void rocksDbComesForTheSystemsThatTheBrokerIsFor() throws Exception {
        List<Path> jars = libraries().stream()
                .filter(file -> file.getFileName().toString().startsWith("rocksdbjni-"))
                .toList();
        assertThat(jars).hasSize(1);
        List<String> entries = entries(jars.get(0));
        assertThat(entries)
                .filteredOn(name -> name.startsWith("librocksdbjni"))
                .containsExactlyInAnyOrder(
                        "librocksdbjni-linux64.so",
                        "librocksdbjni-linux64-musl.so",
                        "librocksdbjni-linux-aarch64.so",
                        "librocksdbjni-linux-aarch64-musl.so");
        assertThat(entries).contains("org/rocksdb/RocksDB.class", "org/rocksdb/NativeLibraryLoader.class");
    }

    /** Native libraries of any other jar are for these systems too. */
    @Test
    void nothingIsForAnotherSystem() throws Exception {
        for (Path jar : libraries()) {
            if (jar.toString().endsWith(".jar")) {
                assertThat(entries(jar))
                        .as("%s", jar)
                        .noneMatch(
                                name -> name.endsWith(".dll") || name.endsWith(".jnilib") || name.endsWith(".dylib"));
            }
        }
    }

    @Test
    void theDistributionIsNotLargerThanItNeedsToBe() throws Exception {
        long bytes = 0;
        for (Path file : libraries()) {
            bytes += Files.size(file);
        }
        assertThat(bytes).isBetween(1L << 20, MAX_LIBRARIES_BYTES);
        Path distribution = BrokerProcess.distribution();
        Path archive = distribution.resolveSibling(distribution.getFileName() + ".tar.gz");
        if (Files.exists(archive)) { // a quick build packs none
            assertThat(Files.size(archive)).isLessThan(MAX_ARCHIVE_BYTES);
        }
    }
}
