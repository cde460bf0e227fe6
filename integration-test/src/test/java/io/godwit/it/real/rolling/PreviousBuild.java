package io.godwit.it.real.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The distribution of an earlier build. {@code .ci/previous-build} makes one, and {@code -Dgodwit.previous=DIRECTORY}
 * names it; without it the tests that need it are skipped.
 */
final class PreviousBuild {
    private static final String PROPERTY = "godwit.previous";
    private static final Pattern ON_DISK = Pattern.compile("(?s)\n## On disk\n(.*?)\n## ");
    /** A constant of the sources and its number. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| .* \\| `([A-Za-z]+\\.[A-Z_]+)` \\| (\\d+) \\|$");

    /** Libraries that write files of their own formats. */
    private static final Pattern LIBRARY = Pattern.compile("(rocksdbjni|jraft-core)-.*");

    private final Path distribution;

    private PreviousBuild(Path distribution) {
        this.distribution = distribution;
    }

    /** Skips the test if there is none. Fails if it has the jars of this build: with them a test would show nothing. */
    static PreviousBuild given() throws IOException {
        String given = System.getProperty(PROPERTY, "");
        Needs.needOr(
                !given.isBlank(),
                "previous-build",
                "there is no earlier build: .ci/previous-build makes one, -D" + PROPERTY + "=DIRECTORY names it");
        Path distribution = Path.of(given).toAbsolutePath();
        assertThat(distribution.resolve("bin/standalone.sh")).isExecutable();
        assertThat(haveTheSameJars(BrokerProcess.distribution(), distribution))
                .as("%s has the same jars as this build", distribution)
                .isFalse();
        return new PreviousBuild(distribution);
    }

    Path distribution() {
        return distribution;
    }

    /**
     * Whether both builds store the same formats, as the pages of both say, by the same libraries. False if the earlier
     * one has no page.
     */
    boolean storesTheSameFormats() throws IOException {
        Map<String, String> formats = storedFormats(BrokerProcess.distribution());
        assertThat(formats).as("formats on the page of this build").isNotEmpty();
        return formats.equals(storedFormats(distribution));
    }

    /** The versions of what is on disk, and of the libraries; empty without a page. */
    private static Map<String, String> storedFormats(Path distribution) throws IOException {
        Map<String, String> formats = new TreeMap<>();
        Path page = distribution.resolve("docs/formats.md");
        Matcher section = ON_DISK.matcher(Files.exists(page) ? Files.readString(page) : "");
        if (section.find()) {
            Matcher rows = ROW.matcher(section.group(1));
            while (rows.find()) {
                formats.put(rows.group(1), rows.group(2));
            }
            jars(distribution).keySet().stream()
                    .filter(name -> LIBRARY.matcher(name).matches())
                    .forEach(name -> formats.put(name, ""));
        }
        return formats;
    }

    private static boolean haveTheSameJars(Path one, Path other) throws IOException {
        Map<String, Path> jars = jars(one);
        Map<String, Path> others = jars(other);
        if (!jars.keySet().equals(others.keySet())) {
            return false;
        }
        for (Map.Entry<String, Path> jar : jars.entrySet()) {
            if (Files.mismatch(jar.getValue(), others.get(jar.getKey())) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, Path> jars(Path distribution) throws IOException {
        Map<String, Path> jars = new TreeMap<>();
        try (Stream<Path> files = Files.list(distribution.resolve("lib"))) {
            files.filter(file -> file.toString().endsWith(".jar"))
                    .forEach(file -> jars.put(String.valueOf(file.getFileName()), file));
        }
        return jars;
    }
}
