package io.godwit.inbox.session.owner;

import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.session.port.DirectoryLimits;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The client ids that this node owns in one revision of the members: a table that begins empty. Each member enrols its
 * claims. Before all have, nothing is granted, refused or taken away, because a member may have an id that seems free.
 * From then on the table has every connection that has one of its client ids.
 *
 * <p>Confined to the turns of its directory. Answers go out by {@link EdgePort}s, which do not call back.
 */
public final class OwnedIds {
    /** Number of contended chains that one tick checks. */
    private static final int LOOKS = 1_000;

    private final long revision;
    private final DirectoryLimits limits;
    private final Function<MemberLife, @Nullable EdgePort> ports;
    private final BooleanSupplier mayGrant;
    private final Map<MemberLife, Member> members = new LinkedHashMap<>();
    private final Map<IdKey, Chain> chains = new HashMap<>();
    /** Chains with decisions to make as soon as that is allowed. */
    private final Set<Chain> unsettled = new LinkedHashSet<>();
    /** Chains whose holders were asked to give up, the longest ago first. */
    private final Set<Chain> contended = new LinkedHashSet<>();

    private int notEnrolled;
    private long counter;
    private long nowNanos;
    private final long beganNanos;

    private static final class Member {
        private final Map<Long, OwnedClaim> claims = new HashMap<>();
        /** Number of its enrolments. */
        private long enrolment;

        private boolean isEnrolled;
    }

    /**
     * @param ports port of a member; null while there is no link to it
     * @param mayGrant whether this node may still rely on its revision
     */
    public OwnedIds(
            DirectoryView view,
            DirectoryLimits limits,
            Function<MemberLife, @Nullable EdgePort> ports,
            BooleanSupplier mayGrant,
            long nowNanos) {
        this.revision = view.revision();
        this.limits = limits;
        this.ports = ports;
        this.mayGrant = mayGrant;
        this.nowNanos = nowNanos;
        this.beganNanos = nowNanos;
        view.serving().forEach(life -> members.put(life, new Member()));
        view.joining().forEach(life -> members.put(life, new Member()));
        notEnrolled = members.size();
    }

    public void begin(MemberLife edge) {
        Member member = members.get(edge);
        if (member != null) {
            member.enrolment++;
        }
    }

    /** The member has sent all its claims. Claims that it did not send are over. */
    public void done(MemberLife edge) {
        Member member = members.get(edge);
        if (member == null) {
            return;
        }
        List<Chain> changed = new ArrayList<>();
        for (Iterator<OwnedClaim> all = member.claims.values().iterator(); all.hasNext(); ) {
            OwnedClaim claim = all.next();
            if (claim.enrolment != member.enrolment) {
                all.remove();
                Chain chain = chainOf(claim);
                chain.remove(claim);
                changed.add(chain);
            }
        }
        if (!member.isEnrolled) {
            member.isEnrolled = true;
            notEnrolled--;
        }
        changed.forEach(this::settle);
        settleAll();
    }

    public void acquire(MemberLife edge, long number, IdKey key, @Nullable String userName, boolean sameUserOnly)
            throws BadFrameException {
        Member member = members.get(edge);
        if (member == null) {
            return;
        }
        OwnedClaim known = known(member, number, key);
        if (known == null) {
            Chain chain = chains.computeIfAbsent(key, Chain::new);
            if (chain.size() >= limits.maxWaiting() || member.claims.size() >= limits.maxClaimsOfNode()) {
                refuse(edge, number, EdgePort.Refusal.BUSY);
                forgetIfEmpty(chain);
                return;
            }
            OwnedClaim claim = new OwnedClaim(edge, number, key, userName, sameUserOnly);
            claim.enrolment = member.enrolment;
            member.claims.put(number, claim);
            chain.append(claim);
            settle(chain);
        } else if (known.isHeld()) { // the grant was lost with a link
            tellGranted(known);
        }
    }

    public void hold(MemberLife edge, long number, IdKey key, @Nullable String userName, Grant grant)
            throws BadFrameException {
        if (grant.revision() > revision) {
            throw new BadFrameException("a grant of revision " + grant.revision() + " in revision " + revision);
        }
        Member member = members.get(edge);
        if (member == null) {
            return;
        }
        OwnedClaim known = known(member, number, key);
        if (known != null && known.isHeld()) {
            known.isToldToGiveUp = false; // that request may have been lost
            settle(chainOf(known));
            return;
        }
        if (known != null) {
            throw new BadFrameException("claim " + number + " waits, but the frame says that it has its client id");
        }
        if (member.claims.size() >= limits.maxClaimsOfNode()) {
            throw new BadFrameException(edge + " has more than " + limits.maxClaimsOfNode() + " client ids");
        }
        Chain chain = chains.computeIfAbsent(key, Chain::new);
        OwnedClaim claim = new OwnedClaim(edge, number, key, userName, false);
        claim.enrolment = member.enrolment;
        member.claims.put(number, claim);
        chain.insertHeld(claim, grant);
        settle(chain);
    }

    private static @Nullable OwnedClaim known(Member member, long number, IdKey key) throws BadFrameException {
        OwnedClaim known = member.claims.get(number);
        if (known != null) {
            if (!known.key.equals(key)) {
                throw new BadFrameException("claim " + number + " is for two client ids");
            }
            known.enrolment = member.enrolment;
        }
        return known;
    }

    /** Releases one of the member's own claims: it cannot name another's. */
    public void release(MemberLife edge, long number) {
        Member member = members.get(edge);
        OwnedClaim claim = member == null ? null : member.claims.remove(number);
        if (claim != null) {
            Chain chain = chainOf(claim);
            chain.remove(claim);
            settle(chain);
        }
    }

    /** The chain of a present claim. */
    private Chain chainOf(OwnedClaim claim) {
        return Objects.requireNonNull(chains.get(claim.key), "no chain for a present claim");
    }

    private boolean mayDecide() {
        return notEnrolled == 0 && mayGrant.getAsBoolean();
    }

    private void settleAll() {
        if (!unsettled.isEmpty() && mayDecide()) {
            List.copyOf(unsettled).forEach(this::settle);
        }
    }

    /** Makes all decisions after a change of a chain, or marks the chain as unsettled. */
    private void settle(Chain chain) {
        if (chain.first() == null) {
            contended.remove(chain);
            unsettled.remove(chain);
            forgetIfEmpty(chain);
            return;
        }
        if (chain.isAtRest()) {
            watch(chain);
            unsettled.remove(chain);
            return;
        }
        if (!mayDecide()) {
            unsettled.add(chain);
            return;
        }
        unsettled.remove(chain);
        check(chain);
        OwnedClaim first = chain.first();
        if (first != null && !first.isHeld()) {
            first.grant = new Grant(revision, ++counter);
            first.isToldToGiveUp = chain.hasWaiting();
            tellGranted(first);
        }
        for (OwnedClaim each = first; each != null && each.isHeld(); each = each.after) {
            if (!each.isToldToGiveUp && (each != first || chain.hasWaiting())) {
                each.isToldToGiveUp = true;
                EdgePort port = ports.apply(each.edge);
                if (port != null) {
                    port.giveUp(each.number);
                }
            }
        }
        watch(chain);
    }

    /** Notes whether others wait for the holder, and since when. */
    private void watch(Chain chain) {
        OwnedClaim holder = chain.hasWaiting() ? chain.first() : null;
        if (holder != chain.contendedHolder || holder == null) {
            contended.remove(chain);
            chain.contendedHolder = holder;
            if (holder != null) {
                chain.contendedSinceNanos = nowNanos;
                contended.add(chain);
            }
        }
    }

    /**
     * Refuses claims that may not end the one before them. No other claim comes between this check and what follows.
     */
    private void check(Chain chain) {
        OwnedClaim each = chain.firstUnchecked();
        while (each != null) {
            OwnedClaim next = each.after;
            OwnedClaim before = each.before;
            if (before == null || each.mayFollow(before)) {
                each.isChecked = true;
            } else {
                chain.remove(each);
                Member member = members.get(each.edge);
                if (member != null) {
                    member.claims.remove(each.number);
                }
                refuse(each.edge, each.number, EdgePort.Refusal.OTHER_USER);
            }
            each = next;
        }
    }

    private void tellGranted(OwnedClaim claim) {
        EdgePort port = ports.apply(claim.edge);
        Grant grant = claim.grant;
        if (port != null && grant != null) { // without a link it is sent when the member enrols again
            port.granted(claim.number, grant.counter(), claim.isToldToGiveUp);
        }
    }

    private void refuse(MemberLife edge, long number, EdgePort.Refusal why) {
        EdgePort port = ports.apply(edge);
        if (port != null) {
            port.refused(number, why);
        }
    }

    private void forgetIfEmpty(Chain chain) {
        if (chain.first() == null) {
            chains.remove(chain.key);
        }
    }

    /**
     * Makes decisions that were not possible before.
     *
     * @param missing gets the silent members that claims wait for
     */
    public void tick(long now, BiConsumer<MemberLife, String> missing) {
        nowNanos = now;
        settleAll();
        long patience = limits.patience().toNanos();
        if (notEnrolled > 0 && !unsettled.isEmpty() && now - beganNanos >= patience) {
            members.forEach((life, member) -> {
                if (!member.isEnrolled) {
                    missing.accept(life, "it has not said which client ids it has");
                }
            });
        }
        int looks = 0;
        for (Chain chain : contended) {
            if (now - chain.contendedSinceNanos < patience || ++looks > LOOKS) {
                return;
            }
            for (OwnedClaim each = chain.first(); each != null && each.isHeld(); each = each.after) {
                if (ports.apply(each.edge) == null) {
                    missing.accept(each.edge, "it has a client id that another connection waits for");
                }
            }
        }
    }

    /** Number of client ids that a connection has or waits for. */
    public int size() {
        return chains.size();
    }

    int claims() {
        return members.values().stream()
                .mapToInt(member -> member.claims.size())
                .sum();
    }

    boolean isComplete() {
        return notEnrolled == 0;
    }
}
