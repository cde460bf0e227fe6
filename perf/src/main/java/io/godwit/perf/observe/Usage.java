package io.godwit.perf.observe;

/**
 * What processes have used so far.
 *
 * @param userCpuNanos CPU time outside the kernel; NaN-free: -1 where it is not known apart
 * @param cpuNanos CPU time in all
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
