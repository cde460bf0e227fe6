package io.godwit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Recorded bytes that nodes of other releases send and expect: a resource with a line for each message or frame, its
 * name and its bytes in hexadecimal.
 *
 * <p>To add one, {@code -Dgodwit.corpus.write=FILE} writes everything that a test makes now to that file, which then
 * replaces the resource; existing entries must not change.
 */
public final class Corpus {
    private static final String WRITE = "godwit.corpus.write";

    private final Map<String, byte[]> recorded = new TreeMap<>();

    private Corpus() {}

    /** @param resource of the class path of {@code test}, such as {@code /frames-v1.properties} */
    public static Corpus of(Class<?> test, String resource) {
        Properties read = new Properties();
        try (InputStream in = test.getResourceAsStream(resource)) {
            read.load(Objects.requireNonNull(in, resource));
        } catch (IOException e) {
            throw new AssertionError(resource, e);
        }
        Corpus corpus = new Corpus();
        read.stringPropertyNames()
                .forEach(name -> corpus.recorded.put(name, HexFormat.of().parseHex(read.getProperty(name))));
        return corpus;
    }

    /** What was recorded, by name. */
    public Map<String, byte[]> recorded() {
        return recorded;
    }

    /** The bytes that were recorded under {@code name}. */
    public byte[] get(String name) {
        return Objects.requireNonNull(recorded.get(name), name);
    }

    /** Compares what is made now with the recording, and writes it to a file on request. */
    public void assertHasExactly(Map<String, byte[]> made) throws IOException {
        Map<String, String> now = inHex(made);
        String file = System.getProperty(WRITE);
        if (file != null) {
            List<String> lines = now.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .toList();
            Files.write(Path.of(file), lines);
        }
        assertThat(now).isEqualTo(inHex(recorded));
    }

    private static Map<String, String> inHex(Map<String, byte[]> bytes) {
        Map<String, String> hex = new TreeMap<>();
        bytes.forEach((name, each) -> hex.put(name, HexFormat.of().formatHex(each)));
        return hex;
    }
}
