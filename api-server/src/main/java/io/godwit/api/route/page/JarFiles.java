package io.godwit.api.route.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/** Files from jars, each read once. Thread-safe. Callers must take paths from a fixed list, never from a request. */
final class JarFiles {
    private final Map<String, byte[]> read = new ConcurrentHashMap<>();

    /** @param artifact of a WebJar, as {@code GROUP/NAME} */
    static String version(String artifact) {
        Properties properties = new Properties();
        try (InputStream in = JarFiles.class.getResourceAsStream("/META-INF/maven/" + artifact + "/pom.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }

    /** @throws IllegalStateException when no jar has it */
    byte[] read(String path) {
        return read.computeIfAbsent(path, key -> {
            try (InputStream in = JarFiles.class.getResourceAsStream(key)) {
                if (in == null) {
                    throw new IllegalStateException("no jar has " + key);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
