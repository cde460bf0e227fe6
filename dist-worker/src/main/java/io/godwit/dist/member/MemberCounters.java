package io.godwit.dist.member;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** What this node has done about members, itself among them. Thread-safe. */
final class MemberCounters {
    /** It has had the others go on without one of them. */
    final Counter excluded;
    /** Its clients were closed since it could not prove for too long that it serves. */
    final Counter unproven;

    MemberCounters(MeterRegistry meters) {
        excluded = counter(meters, "excluded", "members that this node has had the others go on without");
        unproven = counter(meters, "unproven", "times that this node closed its clients for want of a proof");
    }

    private static Counter counter(MeterRegistry meters, String what, String description) {
        return Counter.builder("godwit.members." + what)
                .description(description)
                .register(meters);
    }
}
