package io.godwit.perf.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The usage of processes of this machine, added up, from {@code /proc}. */
public final class ProcessUsage implements UsageSource {
    /** Linux reports CPU times in hundredths of a second, on all machines that a JVM runs on. */
    private static final long TICK_NANOS = 10_000_000;

    private static final Path PROC = Path.of("/proc");

    private final Path proc;
    private final List<Long> pids;

    public ProcessUsage(List<Long> pids) {
        this(PROC, pids);
    }

    ProcessUsage(Path proc, List<Long> pids) {
        this.proc = proc;
        this.pids = List.copyOf(pids);
    }

    @Override
    public Optional<Usage> read() {
        Usage sum = new Usage(0, 0, 0);
        for (long pid : pids) {
            Optional<Usage> one = read(pid);
            if (one.isEmpty()) {
                return Optional.empty();
            }
            sum = sum.plus(one.get());
        }
        return Optional.of(sum);
    }

    private Optional<Usage> read(long pid) {
        try {
            Path process = proc.resolve(Long.toString(pid));
            return Optional.of(
                    parse(Files.readString(process.resolve("stat")), Files.readString(process.resolve("status"))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty(); // it has ended, or belongs to another user
        }
    }

    static Usage parse(String stat, String status) {
        // The command's name is in brackets and may contain any character.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).strip().split(" +", -1);
        long user = Long.parseLong(fields[11]);
        long system = Long.parseLong(fields[12]);
        long resident = status.lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no VmRSS: a process that has ended"));
        return new Usage((user + system) * TICK_NANOS, user * TICK_NANOS, resident * 1_024);
    }

    @Override
    public String describe() {
        return "pid " + pids.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
