package io.godwit.perf.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Limits that the system sets for this process. */
public final class ProcessLimits {
    private ProcessLimits() {}

    /** Files that this process may open; empty if unlimited or unknown. */
    public static OptionalLong openFiles() {
        try (var lines = Files.lines(Path.of("/proc/self/limits"))) {
            return lines.filter(line -> line.startsWith("Max open files"))
                    .map(line -> line.split(" +", -1)[3])
                    .filter(soft -> soft.matches("\\d+"))
                    .mapToLong(Long::parseLong)
                    .findFirst();
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty();
        }
    }

    /** Ports available for connections from one local address to one broker; empty if unknown. */
    public static OptionalLong localPorts() {
        try {
            String[] range = setting("/proc/sys/net/ipv4/ip_local_port_range").split("\\s+", -1);
            return OptionalLong.of(Long.parseLong(range[1]) - Long.parseLong(range[0]) + 1);
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty();
        }
    }

    /** Connections that the kernel can still track; empty if it tracks none or this is unknown. */
    public static OptionalLong trackedConnections() {
        try {
            long most = Long.parseLong(setting("/proc/sys/net/netfilter/nf_conntrack_max"));
            long now = Long.parseLong(setting("/proc/sys/net/netfilter/nf_conntrack_count"));
            return OptionalLong.of(Math.max(0, most - now));
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Reads a file with a single read, as the kernel returns nothing to a second one; {@link Files#readString} begins
     * with a read of one byte.
     */
    private static String setting(String file) throws IOException {
        try (var reader = Files.newBufferedReader(Path.of(file))) {
            String line = reader.readLine();
            return line == null ? "" : line.strip();
        }
    }
}
