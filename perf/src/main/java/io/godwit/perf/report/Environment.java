package io.godwit.perf.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The machine that the tool runs on. */
public final class Environment {
    private Environment() {}

    public static String describe() {
        return String.format(
                Locale.ROOT,
                "load from a machine with %d cores%s%s, Java %s",
                Runtime.getRuntime().availableProcessors(),
                processor(),
                memory(),
                Runtime.version().feature());
    }

    private static String processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> " (" + line.substring(line.indexOf(':') + 1).strip() + ")")
                    .findFirst()
                    .orElse("");
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    private static String memory() {
        try (var lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemTotal"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .map(kb -> String.format(Locale.ROOT, ", %.0f GiB", kb / 1024.0 / 1024))
                    .findFirst()
                    .orElse("");
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }
}
