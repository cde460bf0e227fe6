package io.godwit.perf.observe;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The usage of this process, its event loops and the machine as a whole since the last look. Used by one thread. */
public final class SelfUsage {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ProcessUsage process =
            new ProcessUsage(List.of(ProcessHandle.current().pid()));
    private final List<Thread> loops;
    private final long[] loopCpuNanos;
    private long lookedNanos;
    private long cpuNanos;
    private long gcMillis;
    private long machineBusy;
    private long machineTotal;

    /**
     * The usage since the look before.
     *
     * @param cores that this process kept busy
     * @param busiestLoop share of a core that the busiest event loop used, 0 to 1
     * @param gcShare share of the time that garbage collections took, 0 to 1
     * @param machine share of all cores that all processes used, 0 to 1; negative if unknown
     */
    public record Look(double cores, double busiestLoop, double gcShare, double machine, long residentBytes) {}

    /** @param loops the event loops to watch */
    public SelfUsage(List<Thread> loops) {
        this.loops = new ArrayList<>(loops);
        loopCpuNanos = new long[loops.size()];
        look();
    }

    public Look look() {
        long now = System.nanoTime();
        double elapsed = Math.max(1, now - lookedNanos);
        lookedNanos = now;
        Usage usage = process.read().orElse(new Usage(cpuNanos, 0, 0));
        final double cores = (usage.cpuNanos() - cpuNanos) / elapsed;
        cpuNanos = usage.cpuNanos();
        double busiest = 0;
        for (int i = 0; i < loops.size(); i++) {
            @SuppressWarnings("deprecation") // threadId() is newer than Java 17
            long cpu = Math.max(
                    loopCpuNanos[i], THREADS.getThreadCpuTime(loops.get(i).getId()));
            busiest = Math.max(busiest, (cpu - loopCpuNanos[i]) / elapsed);
            loopCpuNanos[i] = cpu;
        }
        long gc = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
        final double gcShare = TimeUnit.MILLISECONDS.toNanos(gc - gcMillis) / elapsed;
        gcMillis = gc;
        return new Look(cores, busiest, gcShare, machine(), usage.residentBytes());
    }

    private double machine() {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            String[] fields = lines.findFirst().orElse("").split(" +", -1);
            long total = 0;
            for (int i = 1; i < Math.min(fields.length, 9); i++) {
                total += Long.parseLong(fields[i]);
            }
            long busy = total - Long.parseLong(fields[4]) - Long.parseLong(fields[5]);
            double share = (busy - machineBusy) / (double) Math.max(1, total - machineTotal);
            machineBusy = busy;
            machineTotal = total;
            return share;
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }
}
