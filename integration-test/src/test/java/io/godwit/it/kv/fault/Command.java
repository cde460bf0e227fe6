package io.godwit.it.kv.fault;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the system. */
public final class Command {
    private static final long PATIENCE_SECONDS = 20;

    private Command() {}

    /**
     * Returns what it printed.
     *
     * @throws IOException if it cannot be run, fails or does not end, with what it printed
     */
    public static String run(List<String> words) throws IOException {
        File output = File.createTempFile("command", ".out");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("does not end: " + words);
            }
            String text = Files.readString(output.toPath(), StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException(words + " ended with " + process.exitValue() + ": " + text.strip());
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + words, e);
        } finally {
            Files.deleteIfExists(output.toPath());
        }
    }

    public static String run(String... words) throws IOException {
        return run(List.of(words));
    }
}
