package io.godwit.perf.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The memory of the kernel's own objects on this machine, which include sockets. */
public final class KernelMemory {
    private KernelMemory() {}

    /** Bytes that the kernel cannot reclaim while their objects live; empty if it does not say. */
    public static OptionalLong bytes() {
        try {
            return parse(Files.readAllLines(Path.of("/proc/meminfo")));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    static OptionalLong parse(List<String> meminfo) {
        return meminfo.stream()
                .filter(line -> line.startsWith("SUnreclaim:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024)
                .findFirst();
    }
}
