package io.godwit.inbox.session.claim;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.port.DirectoryLimits;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.OwnerPort;
import io.godwit.inbox.session.port.Owners;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.NodeWait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client ids that connections of this node have or wait for. Claims outlive views: in each view this node tells
 * them to the owners of that view, when the owners ask for them. An owner's message counts only in the view in which it
 * was sent.
 *
 * <p>Confined to the turns of its directory. Calls to connections run as effects at the end of the turn.
 */
public final class ClaimedIds {
    /** Number of long-waiting claims that one tick checks for the member they wait for. */
    private static final int LOOKS = 1_000;

    private final DirectoryLimits limits;
    private final WaitReports reports;
    private final Consumer<Runnable> effects;
    /** Called when a lease is released; any thread. */
    private final Consumer<ClaimedId> released;
    /** By number, so in the order they were requested. */
    private final Map<Long, ClaimedId> claims = new LinkedHashMap<>();
    /** The waiting ones of them, the longest first. */
    private final Map<Long, ClaimedId> waiting = new LinkedHashMap<>();
    /** By owner, in the present view. */
    private final Map<MemberLife, Enrolment> enrolments = new HashMap<>();

    private long revision;
    private Owners owners;
    private long lastNumber;
    private long lastEnrolment;

    public ClaimedIds(
            DirectoryLimits limits,
            WaitReports reports,
            DirectoryView view,
            Consumer<Runnable> effects,
            Consumer<ClaimedId> released) {
        this.limits = limits;
        this.reports = reports;
        this.revision = view.revision();
        this.owners = new Owners(view);
        this.effects = effects;
        this.released = released;
    }

    /** A new view: grants of earlier views are not accepted any more. */
    public void moved(DirectoryView view) {
        enrolments.clear();
        revision = view.revision();
        owners = new Owners(view);
    }

    /** An owner in the present view asks for all claims on its ids. */
    public void enrol(MemberLife owner, OwnerPort port) {
        List<ClaimedId> there = new ArrayList<>();
        for (ClaimedId claim : claims.values()) {
            if (owner.equals(owners.of(claim.keyHash))) {
                there.add(claim);
            }
        }
        Enrolment enrolment = new Enrolment(++lastEnrolment, port, there);
        enrolments.put(owner, enrolment);
        enrolment.tell();
    }

    /** The owner's link may have room for more. */
    public void tell(MemberLife owner) {
        Enrolment enrolment = enrolments.get(owner);
        if (enrolment != null) {
            enrolment.tell();
        }
    }

    /** The link to the owner is lost: the owner will ask again over the next one. */
    public void lost(MemberLife owner) {
        enrolments.remove(owner);
    }

    public void acquire(
            IdKey key,
            SessionDirectory.Holder holder,
            SessionDirectory.Takeover takeover,
            long nowNanos,
            CompletableFuture<SessionDirectory.Answer> answer) {
        ClaimedId claim = new ClaimedId(++lastNumber, key, holder, takeover, nowNanos, answer);
        claims.put(claim.number, claim);
        waiting.put(claim.number, claim);
        MemberLife owner = owners.of(claim.keyHash);
        Enrolment enrolment = owner == null ? null : enrolments.get(owner);
        if (enrolment != null) {
            enrolment.add(claim);
        } // else it is told when the owner asks
    }

    public void release(ClaimedId claim) {
        if (claim.state != ClaimedId.State.OVER) {
            end(claim);
            withdraw(claim);
        }
    }

    private void end(ClaimedId claim) {
        claim.state = ClaimedId.State.OVER;
        claims.remove(claim.number);
        waiting.remove(claim.number);
    }

    private void withdraw(ClaimedId claim) {
        MemberLife owner = owners.of(claim.keyHash);
        Enrolment enrolment = owner == null ? null : enrolments.get(owner);
        if (enrolment != null) {
            enrolment.release(claim);
        } // else the next enrolment leaves it out
    }

    /** The claim with that number, if {@code by} owns its id; else null. */
    private @Nullable ClaimedId spokenOf(MemberLife by, long number) {
        ClaimedId claim = claims.get(number);
        return claim != null && by.equals(owners.of(claim.keyHash)) ? claim : null;
    }

    public void granted(MemberLife by, long number, long counter, boolean giveUp) {
        ClaimedId claim = spokenOf(by, number);
        if (claim == null) {
            return; // withdrawn, which the owner has been told
        }
        if (claim.state == ClaimedId.State.WAITING) {
            claim.state = ClaimedId.State.HELD;
            claim.grant = new Grant(revision, counter);
            waiting.remove(number);
            effects.accept(() -> claim.answer.complete(new HeldId(claim, released)));
        }
        if (giveUp) {
            tellToGiveUp(claim);
        }
    }

    public void giveUp(MemberLife by, long number) {
        ClaimedId claim = spokenOf(by, number);
        if (claim != null && claim.state == ClaimedId.State.HELD) {
            tellToGiveUp(claim);
        }
    }

    private void tellToGiveUp(ClaimedId claim) {
        if (!claim.isToldToGiveUp) {
            claim.isToldToGiveUp = true;
            effects.accept(claim.holder::giveUp);
        }
    }

    public void refused(MemberLife by, long number, EdgePort.Refusal why) {
        ClaimedId claim = spokenOf(by, number);
        if (claim == null || claim.state != ClaimedId.State.WAITING) {
            return;
        }
        end(claim);
        effects.accept(
                switch (why) {
                    case OTHER_USER -> () -> claim.answer.complete(SessionDirectory.Refusal.OTHER_USER);
                    case BUSY ->
                        () -> claim.answer.completeExceptionally(new RangeException(
                                RangeException.Cause.OVERLOADED, "too many connections wait for the client id"));
                });
    }

    /**
     * Fails claims that have waited too long.
     *
     * @param missing gets the silent owners that claims wait for
     */
    public void tick(long nowNanos, BiConsumer<MemberLife, String> missing) {
        long most = limits.acquireTimeout().toNanos();
        for (Iterator<ClaimedId> all = waiting.values().iterator(); all.hasNext(); ) {
            ClaimedId claim = all.next();
            if (nowNanos - claim.sinceNanos < most) {
                break;
            }
            all.remove();
            fail(claim, RangeException.Cause.TIMEOUT, "the client id was not released in time");
            MemberLife owner = owners.of(claim.keyHash);
            effects.accept(() -> reports.ranOut(
                    NodeWait.CLIENT_ID,
                    limits.acquireTimeout(),
                    () -> "client id " + claim.key.clientId().value() + ", of "
                            + (owner == null ? "no serving member" : owner.nodeId())));
        }
        enrolments.values().forEach(Enrolment::tell);
        int looks = 0;
        for (ClaimedId claim : waiting.values()) {
            if (nowNanos - claim.sinceNanos < limits.patience().toNanos() || ++looks > LOOKS) {
                break;
            }
            MemberLife owner = owners.of(claim.keyHash);
            if (owner != null && !enrolments.containsKey(owner)) {
                missing.accept(owner, "it owns a client id that a connection waits for");
            }
        }
    }

    private void fail(ClaimedId claim, RangeException.Cause cause, String detail) {
        end(claim);
        withdraw(claim);
        effects.accept(() -> claim.answer.completeExceptionally(new RangeException(cause, detail)));
    }

    /** Fails all waiting claims. */
    public void close() {
        failWaiting(RangeException.Cause.CLOSED, "the broker is closing");
    }

    /** Fails the waiting claims; holders keep their client ids. */
    public void failWaiting(RangeException.Cause cause, String detail) {
        for (ClaimedId claim : List.copyOf(waiting.values())) {
            fail(claim, cause, detail);
        }
    }

    public boolean isOwner(MemberLife life, IdKey key) {
        return life.equals(owners.of(Owners.hash(key)));
    }

    /** Number of claims, held and waiting. */
    public int size() {
        return claims.size();
    }

    public int waiting() {
        return waiting.size();
    }
}
