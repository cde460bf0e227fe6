package io.godwit.perf.observe;

/**
 * The resources that processes have used since they started.
 *
 * @param cpuNanos CPU time in total
 * @param userCpuNanos CPU time outside the kernel; -1 if it is not known separately
 */
public record Usage(long cpuNanos, long userCpuNanos, long residentBytes) {
    Usage plus(Usage other) {
        boolean isKnown = userCpuNanos >= 0 && other.userCpuNanos >= 0;
        return new Usage(
                cpuNanos + other.cpuNanos,
                isKnown ? userCpuNanos + other.userCpuNanos : -1,
                residentBytes + other.residentBytes);
    }
}
