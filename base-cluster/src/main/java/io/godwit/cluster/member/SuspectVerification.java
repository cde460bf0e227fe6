package io.godwit.cluster.member;

import io.godwit.cluster.config.HostPort;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.stack.IpAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a suspected member time to answer, as {@link VERIFY_SUSPECT2} does, but decides sooner where that is possible.
 *
 * <ul>
 *   <li>If the host refuses connections at the member's port, the process has ended. So a killed process is removed
 *       from the group at once, although the time limit suits a slow network.
 *   <li>VERIFY_SUSPECT2 asks once. The question or the answer may be lost with a connection that breaks again, so this
 *       class asks repeatedly within the time limit.
 * </ul>
 *
 * Its messages are those of VERIFY_SUSPECT2. Thread-safe.
 */
final class SuspectVerification extends VERIFY_SUSPECT2 {
    private static final Logger LOG = LoggerFactory.getLogger(SuspectVerification.class);
    private static final long AGAIN_MILLIS = 500;

    /** Suspected members that are being probed and asked. A member is removed when it answers or its time is over. */
    private final Set<Address> open = ConcurrentHashMap.newKeySet();

    SuspectVerification() {
        setId(ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class));
    }

    @Override
    protected void verifySuspect(Collection<Address> members) {
        super.verifySuspect(members);
        for (Address member : members) {
            if (open.add(member)) {
                LOG.debug("member is suspected member={}", member);
                lookInBackground(member, System.nanoTime());
            }
        }
    }

    /** The member has answered. */
    @Override
    public void unsuspect(Address member) {
        open.remove(member);
        super.unsuspect(member);
    }

    private void lookInBackground(Address member, long sinceNanos) {
        if (!getTransport().getThreadPool().execute(() -> look(member, sinceNanos))) {
            open.remove(member); // the pool closes or is busy: VERIFY_SUSPECT2's time-out decides
        }
    }

    private void look(Address member, long sinceNanos) {
        if (!open.contains(member)) {
            return;
        }
        if (isOver(member)) {
            LOG.debug("nothing listens at the address of a suspected member member={}", member);
            pass(member);
            return;
        }
        long leftMillis = getTimeout() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
        if (leftMillis <= 0) {
            pass(member);
            return;
        }
        getTransport()
                .getTimer()
                .schedule(
                        () -> askAgain(member, sinceNanos),
                        Math.min(AGAIN_MILLIS, leftMillis),
                        TimeUnit.MILLISECONDS,
                        false);
    }

    private void askAgain(Address member, long sinceNanos) {
        if (open.contains(member)) {
            if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos) < getTimeout()) {
                super.verifySuspect(List.of(member));
            }
            lookInBackground(member, sinceNanos);
        }
    }

    /**
     * Reports the member as dead. VERIFY_SUSPECT2 checks only once per time limit, so it could take up to twice as
     * long.
     */
    private void pass(Address member) {
        if (open.remove(member)) {
            up_prot.up(new Event(Event.SUSPECT, List.of(member)));
        }
    }

    /** Whether the member's process has ended. Blocks as long as {@link ProcessProbe#isOver}. */
    private boolean isOver(Address member) {
        return down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member)) instanceof IpAddress where
                && ProcessProbe.isOver(new HostPort(where.getIpAddress().getHostAddress(), where.getPort()));
    }
}
