package io.godwit.cluster;

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
 * Gives a suspected member time to say that it lives, as {@link VERIFY_SUSPECT2} does, and decides sooner where that is
 * possible.
 *
 * <ul>
 *   <li>A host that refuses connections at the member's port tells that its process is over. So a killed process is out
 *       of the group at once, though the time suffices for a slow network.
 *   <li>VERIFY_SUSPECT2 asks once. A connection that breaks again may take that question or its answer along, so it is
 *       asked repeatedly, within the same time.
 * </ul>
 *
 * On the wire it is VERIFY_SUSPECT2. Thread-safe.
 */
final class SuspectVerification extends VERIFY_SUSPECT2 {
    private static final Logger LOG = LoggerFactory.getLogger(SuspectVerification.class);
    private static final long AGAIN_MILLIS = 500;

    /** Suspected members that are still probed and asked. Each leaves when it answers or its time is over. */
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

    /** It has answered. */
    @Override
    public void unsuspect(Address member) {
        open.remove(member);
        super.unsuspect(member);
    }

    private void lookInBackground(Address member, long sinceNanos) {
        if (!getTransport().getThreadPool().execute(() -> look(member, sinceNanos))) {
            open.remove(member); // it closes, or is very busy: the time decides
        }
    }

    private void look(Address member, long sinceNanos) {
        if (!open.contains(member)) {
            return;
        }
        if (isOver(member)) {
            LOG.debug("nobody listens any more where a suspected member did member={}", member);
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

    /** It is dead. VERIFY_SUSPECT2 looks once in its time only, so it would say so after up to twice that. */
    private void pass(Address member) {
        if (open.remove(member)) {
            up_prot.up(new Event(Event.SUSPECT, List.of(member)));
        }
    }

    /** Blocks for {@link ProcessProbe}'s time. */
    private boolean isOver(Address member) {
        return down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member)) instanceof IpAddress where
                && ProcessProbe.isOver(new HostPort(where.getIpAddress().getHostAddress(), where.getPort()));
    }
}
