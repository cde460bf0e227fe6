package io.godwit.inbox.session.frame;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.OwnerPort;
import io.godwit.inbox.wire.DirectoryEntry;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.inbox.wire.EnrolAsk;
import io.godwit.inbox.wire.EnrolBegin;
import io.godwit.inbox.wire.EnrolDone;
import io.godwit.inbox.wire.IdAcquire;
import io.godwit.inbox.wire.IdClaim;
import io.godwit.inbox.wire.IdGranted;
import io.godwit.inbox.wire.IdHold;
import io.godwit.inbox.wire.IdRefusal;
import io.godwit.inbox.wire.IdRefused;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the messages to one peer into frames: one per turn, or more when there is much to send. Confined to the turns
 * of its directory. Lives as long as the {@link Peer}.
 */
public final class PeerChannel implements EdgePort, OwnerPort {
    private static final int MAX_ENTRIES = 1_000;
    private static final int MAX_BYTES = 128 << 10;
    /** How many frames with claims may be unconfirmed. */
    private static final int WINDOW = 4;

    /** Called when a frame with claims has arrived; any thread. */
    public interface Arrived {
        void at(PeerChannel channel);
    }

    public final Peer peer;
    public final MemberLife life;
    private final Arrived arrived;
    private DirectoryFrame.Builder frame = DirectoryFrame.newBuilder();
    private int frameBytes;
    private boolean tellsOfClaims;
    private long revision;
    private int underWay;
    /** Whether versions are agreed on; before that only the hello is sent. */
    private boolean isOpen;
    /** The last revision in which the peer asked this node to enrol; 0 when it never did. */
    private long askedIn;

    public PeerChannel(Peer peer, long revision, Arrived arrived) {
        this.peer = peer;
        this.life = new MemberLife(peer.nodeId(), peer.incarnation());
        this.revision = revision;
        this.arrived = arrived;
        peer.send(Lane.CONTROL, DirectoryFrames.hello(peer.version()));
    }

    public boolean isOpen() {
        return isOpen;
    }

    public void open() {
        isOpen = true;
    }

    public void asked(long inRevision) {
        askedIn = Math.max(askedIn, inRevision);
    }

    public boolean hasAskedIn(long inRevision) {
        return askedIn == inRevision;
    }

    /** Later messages are of that revision. */
    public void moved(long toRevision) {
        flush();
        revision = toRevision;
    }

    @Override
    public void enrol() {
        add(DirectoryEntry.newBuilder().setEnrol(EnrolAsk.getDefaultInstance()), 0);
    }

    @Override
    public void granted(long number, long counter, boolean giveUp) {
        add(
                DirectoryEntry.newBuilder()
                        .setGranted(IdGranted.newBuilder()
                                .setNumber(number)
                                .setCounter(counter)
                                .setGiveUp(giveUp)),
                0);
    }

    @Override
    public void giveUp(long number) {
        add(DirectoryEntry.newBuilder().setGiveUp(number), 0);
    }

    @Override
    public void refused(long number, Refusal why) {
        IdRefusal reason = switch (why) {
            case OTHER_USER -> IdRefusal.ID_REFUSAL_OTHER_USER;
            case BUSY -> IdRefusal.ID_REFUSAL_BUSY;
        };
        add(
                DirectoryEntry.newBuilder()
                        .setRefused(IdRefused.newBuilder().setNumber(number).setWhy(reason)),
                0);
    }

    @Override
    public void begin() {
        add(DirectoryEntry.newBuilder().setBegin(EnrolBegin.getDefaultInstance()), 0);
    }

    @Override
    public void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly) {
        tellsOfClaims = true;
        IdAcquire.Builder acquire =
                IdAcquire.newBuilder().setClaim(claim(number, key, userName)).setSameUserOnly(sameUserOnly);
        add(DirectoryEntry.newBuilder().setAcquire(acquire), length(key, userName));
    }

    @Override
    public void hold(long number, IdKey key, @Nullable String userName, Grant grant) {
        tellsOfClaims = true;
        IdHold.Builder hold = IdHold.newBuilder()
                .setClaim(claim(number, key, userName))
                .setGrantRevision(grant.revision())
                .setGrantCounter(grant.counter());
        add(DirectoryEntry.newBuilder().setHold(hold), length(key, userName));
    }

    private static IdClaim claim(long number, IdKey key, @Nullable String userName) {
        IdClaim.Builder claim = IdClaim.newBuilder()
                .setNumber(number)
                .setTenant(key.tenant().value())
                .setClientId(key.clientId().value());
        if (userName != null) {
            claim.setUserName(userName);
        }
        return claim.build();
    }

    /** Upper bound on the bytes of UTF-8. */
    private static int length(IdKey key, @Nullable String userName) {
        int chars = key.clientId().value().length() + (userName == null ? 0 : userName.length());
        return 3 * chars + key.tenant().value().length();
    }

    @Override
    public void release(long number) {
        add(DirectoryEntry.newBuilder().setRelease(number), 0);
    }

    @Override
    public void done() {
        add(DirectoryEntry.newBuilder().setDone(EnrolDone.getDefaultInstance()), 0);
    }

    @Override
    public boolean hasRoom() {
        return underWay < WINDOW && peer.isWritable(Lane.CONTROL);
    }

    private void add(DirectoryEntry.Builder entry, int textBytes) {
        frame.addEntries(entry);
        frameBytes += 32 + textBytes;
        if (frame.getEntriesCount() >= MAX_ENTRIES || frameBytes >= MAX_BYTES) {
            flush();
        }
    }

    public void flush() {
        if (frame.getEntriesCount() == 0) {
            return;
        }
        byte[] bytes = DirectoryFrames.encode(frame.setRevision(revision).build());
        frame = DirectoryFrame.newBuilder();
        frameBytes = 0;
        if (tellsOfClaims) {
            tellsOfClaims = false;
            underWay++;
            peer.send(Lane.CONTROL, bytes, new Told());
        } else {
            peer.send(Lane.CONTROL, bytes);
        }
    }

    /** A frame with claims has arrived, so there is room for another. */
    public void told() {
        underWay--;
    }

    private final class Told implements Peer.Confirmation {
        @Override
        public void confirmed() {
            arrived.at(PeerChannel.this);
        }

        @Override
        public void lost() {
            // the peer is over, and so is this channel
        }
    }
}
