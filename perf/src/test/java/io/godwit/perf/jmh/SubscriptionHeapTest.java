package io.godwit.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A million subscriptions fit into a JVM with a heap of 400 MB. */
class SubscriptionHeapTest {
    private static final long LIMIT_BYTES = 400L << 20;

    @Test
    @Tag("long")
    void aMillionSubscriptionsTakeLessThanFourHundredMegabytes() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx400m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SubscriptionHeap.class.getName(),
                        "1000000")
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(process.waitFor()).as(text).isZero();
        System.out.println("a million subscriptions retain " + text + " bytes");
        assertThat(Long.parseLong(text)).isBetween(10L << 20, LIMIT_BYTES);
    }
}
