package io.godwit.inbox.session.frame;

import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.wire.DirectoryEntry;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.inbox.wire.IdAcquire;
import io.godwit.inbox.wire.IdClaim;
import io.godwit.inbox.wire.IdGranted;
import io.godwit.inbox.wire.IdHold;
import io.godwit.inbox.wire.IdRefused;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/** Reads the entries that a {@link PeerChannel} of another node has written. */
public final class EntryReader {
    /** A field of the CONNECT packet has at most this many bytes, so no more characters. */
    private static final int MAX_CHARS = 65_535;

    /** Messages of peers, both owners and nodes of connections. */
    public interface Entries {
        void enrol();

        void granted(long number, long counter, boolean giveUp);

        void giveUp(long number);

        void refused(long number, EdgePort.Refusal why);

        void begin();

        void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly) throws BadFrameException;

        void hold(long number, IdKey key, @Nullable String userName, Grant grant) throws BadFrameException;

        void release(long number);

        void done();
    }

    private EntryReader() {}

    /**
     * Reads the entries of a frame. Fails when the version has no entries of a kind. Unknown fields are ignored.
     *
     * @param agreed the version that the sender must keep to
     * @throws IllegalArgumentException for a text that a client cannot choose
     */
    public static void read(int agreed, DirectoryFrame frame, Entries to) throws BadFrameException {
        for (DirectoryEntry entry : frame.getEntriesList()) {
            if (since(entry.getKindCase()) > agreed) {
                throw new BadFrameException("an entry of no kind of version " + agreed);
            }
            read(entry, to);
        }
    }

    /** The first version that has entries of the kind. */
    private static int since(DirectoryEntry.KindCase kind) {
        return switch (kind) {
            case ENROL, GRANTED, REFUSED, GIVE_UP, BEGIN, ACQUIRE, HOLD, RELEASE, DONE -> 1;
            case KIND_NOT_SET -> Integer.MAX_VALUE;
        };
    }

    private static void read(DirectoryEntry entry, Entries to) throws BadFrameException {
        switch (entry.getKindCase()) {
            case ENROL -> to.enrol();
            case GRANTED -> {
                IdGranted granted = entry.getGranted();
                to.granted(granted.getNumber(), granted.getCounter(), granted.getGiveUp());
            }
            case REFUSED -> {
                IdRefused refused = entry.getRefused();
                to.refused(refused.getNumber(), reason(refused));
            }
            case GIVE_UP -> to.giveUp(entry.getGiveUp());
            case BEGIN -> to.begin();
            case ACQUIRE -> {
                IdAcquire acquire = entry.getAcquire();
                IdClaim claim = acquire.getClaim();
                to.acquire(claim.getNumber(), key(claim), userName(claim), acquire.getSameUserOnly());
            }
            case HOLD -> {
                IdHold hold = entry.getHold();
                IdClaim claim = hold.getClaim();
                Grant grant = new Grant(hold.getGrantRevision(), hold.getGrantCounter());
                to.hold(claim.getNumber(), key(claim), userName(claim), grant);
            }
            case RELEASE -> to.release(entry.getRelease());
            case DONE -> to.done();
            case KIND_NOT_SET -> throw new AssertionError("was checked");
        }
    }

    private static EdgePort.Refusal reason(IdRefused refused) throws BadFrameException {
        return switch (refused.getWhy()) {
            case ID_REFUSAL_OTHER_USER -> EdgePort.Refusal.OTHER_USER;
            case ID_REFUSAL_BUSY -> EdgePort.Refusal.BUSY;
            case ID_REFUSAL_UNSPECIFIED, UNRECOGNIZED ->
                throw new BadFrameException("a refusal of a kind that is not known here");
        };
    }

    private static IdKey key(IdClaim claim) throws BadFrameException {
        check(claim.getClientId());
        return new IdKey(new TenantId(claim.getTenant()), new ClientId(claim.getClientId()));
    }

    private static @Nullable String userName(IdClaim claim) throws BadFrameException {
        if (!claim.hasUserName()) {
            return null;
        }
        check(claim.getUserName());
        return claim.getUserName();
    }

    private static void check(String text) throws BadFrameException {
        if (text.length() > MAX_CHARS) {
            throw new BadFrameException("a text of " + text.length() + " characters");
        }
    }
}
