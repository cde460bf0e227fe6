package io.godwit.dist.member;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts what this node did about members, itself included. Thread-safe. */
final class MemberCounters {
    /** Members that this node has excluded. */
    final Counter excluded;
    /** Times that its clients were closed because it had no proof that it serves for too long, or no node answered. */
    final Counter unproven;

    MemberCounters(MeterRegistry meters) {
        excluded = counter(meters, "excluded", "members that this node has had the others go on without");
        unproven = counter(
                meters,
                "unproven",
                "times that this node closed its clients because it had no proof that it serves, or no node answered");
    }

    private static Counter counter(MeterRegistry meters, String what, String description) {
        return Counter.builder("godwit.members." + what)
                .description(description)
                .register(meters);
    }
}
