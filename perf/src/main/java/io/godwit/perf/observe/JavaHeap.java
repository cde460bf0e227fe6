package io.godwit.perf.observe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the heap of another JVM of this machine and user with {@code jcmd}, which is part of a JDK. Blocks for as long
 * as garbage collections of it take.
 */
public final class JavaHeap {
    private static final Pattern USED = Pattern.compile("total .*used (\\d+)K");
    private static final int LONGEST_SECONDS = 60;

    private JavaHeap() {}

    /**
     * Bytes in use after two collections; empty if the process is not a JVM that answers, or there is no {@code jcmd}.
     */
    public static OptionalLong usedBytes(long pid) throws InterruptedException {
        Optional<String> info =
                jcmd(pid, "GC.run").flatMap(done -> ask(pid, "GC.run")).flatMap(done -> ask(pid, "GC.heap_info"));
        return info.isEmpty() ? OptionalLong.empty() : used(info.get());
    }

    /**
     * Adds up the lines with a total, which are of the heap or of each of its generations; other lines are about
     * classes.
     */
    static OptionalLong used(String info) {
        long kilobytes = 0;
        Matcher matcher = USED.matcher(info);
        while (matcher.find()) {
            kilobytes += Long.parseLong(matcher.group(1));
        }
        return kilobytes > 0 ? OptionalLong.of(kilobytes * 1_024) : OptionalLong.empty();
    }

    private static Optional<String> ask(long pid, String command) {
        try {
            return jcmd(pid, command);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static Optional<String> jcmd(long pid, String command) throws InterruptedException {
        Path ours = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process process = new ProcessBuilder(
                            Files.isExecutable(ours) ? ours.toString() : "jcmd", Long.toString(pid), command)
                    .redirectErrorStream(true)
                    .start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return process.exitValue() == 0 ? Optional.of(text) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
